import Authorization
import Base
import CSQLite
import ControlledBoard
import Gateway
import LineProtocol

/// Rows about sessions, and about the start and the configuration of the gateway.
let sessionRows = [
  Row("disconnection of 5,000 sessions, by apps", .milliseconds, [5, 5000]) { apps in
    try await shortest(of: 2) {
      let records = MeasuredGateway.records(apps, .always)
      return try await MeasuredGateway.with(records: records) { gateway in
        var clients: [Client] = []
        for number in 0..<5000 { clients.append(try await gateway.connect(records[number % apps].app)) }
        for client in clients { await gateway.gateway.closed(client.connection, isFinal: false) }
        // All sessions end in one turn, when the grace period is over.
        return await processorTime { await gateway.clock.pass(.seconds(6)) }
      }
    }.milliseconds
  },
  Row("start after replaced rights", .seconds, [1000, 3000]) { apps in
    try await shortest(of: 2) { try await start(apps, accuracy: .full, spoil: replaceRights) } / .seconds(1)
  },
  Row("start with lowered accuracies", .seconds, [1000, 3000]) { apps in
    try await shortest(of: 2) { try await start(apps, accuracy: .reduced) } / .seconds(1)
  },
  Row("reload with lowered accuracies", .seconds, [1000, 3000]) { apps in
    try await shortest(of: 2) {
      let records = MeasuredGateway.records(apps, .always)
      let lower = MeasuredGateway.policy(of: records, accuracy: .reduced)
      let reload: @Sendable () -> Reconfiguration = {
        Reconfiguration(policy: lower, waiting: [], admits: { _, _, _ in true }, putInForce: {})
      }
      return try await MeasuredGateway.with(records: records, reload: reload) { gateway in
        let owner = try await gateway.connect(nil)
        return try await gateway.perform(.owner(.reload), on: owner)
      }
    } / .seconds(1)
  },
]

/// Returns the duration of a start with stored apps.
private func start(
  _ apps: Int, accuracy: FixAccuracy, spoil: (String) throws -> Void = { _ in }
) async throws -> Duration {
  let records = MeasuredGateway.records(apps, .always)
  var duration = Duration.zero
  let gateway = try await MeasuredGateway(
    records: records, policy: MeasuredGateway.policy(of: records, accuracy: accuracy), spoil: spoil,
    started: { duration = $0 })
  await gateway.stop()
  return duration
}

/// Changes the rights of all apps in the database of the state, as another program can.
private func replaceRights(in state: String) throws {
  var database: OpaquePointer?
  let status = unsafe sqlite3_open("\(state)/onefix.sqlite", &database)
  defer { unsafe sqlite3_close(database) }
  guard status == SQLITE_OK,
    unsafe sqlite3_exec(database, "UPDATE app SET status = 'whenInUse'", nil, nil, nil) == SQLITE_OK
  else { throw MeasurementFailure(description: "cannot change the rights in the database") }
}
