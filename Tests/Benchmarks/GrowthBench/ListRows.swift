import Authorization
import Gateway
import LineProtocol

/// Rows about the lists of owners: the longest time for which the gateway handles no other input.
let listRows = [
  Row("APPS", .milliseconds, [1000, 10_000]) { apps in
    let records = MeasuredGateway.records(apps, .always)
    return try await MeasuredGateway.with(records: records) { gateway in
      try await longestTurn(of: .apps, gateway, messages: apps)
    }
  },
  Row("METRICS", .milliseconds, [1000, 10_000]) { apps in
    let records = MeasuredGateway.records(apps, .always)
    return try await MeasuredGateway.with(records: records) { gateway in
      try await longestTurn(of: .metrics, gateway, messages: apps)
    }
  },
  Row("SESSIONS", .milliseconds, [1000, 10_000]) { sessions in
    let records = MeasuredGateway.records(10, .always)
    return try await MeasuredGateway.with(records: records) { gateway in
      for number in 0..<sessions { _ = try await gateway.connect(records[number % 10].app) }
      return try await longestTurn(
        of: .sessions(app: nil, limit: sessions), gateway, messages: sessions)
    }
  },
  Row("COUNTS", .milliseconds, [1000, 10_000]) { apps in
    let records = MeasuredGateway.records(apps, .denied)
    return try await MeasuredGateway.with(records: records) { gateway in
      // The request of a denied app is refused and counted.
      for record in records {
        let client = try await gateway.connect(record.app)
        await gateway.gateway.perform(.startUpdates(UpdatesRequest()), tag: nil, on: client.connection)
        await gateway.gateway.closed(client.connection, isFinal: true)
      }
      return try await longestTurn(of: .counts(since: nil), gateway, messages: apps)
    }
  },
]

private func longestTurn(of command: OwnerCommand, _ gateway: MeasuredGateway, messages: Int) async throws -> Double {
  let owner = try await gateway.connect(nil)
  // Other programs can interrupt a turn, so this measurement needs more runs than a processor time.
  return try await shortest(of: 9) {
    let longest = try await gateway.longestTurn { try await gateway.perform(.owner(command), on: owner) }
    // `METRICS` has further lines.
    guard owner.lineCount >= messages + 1 else {
      throw MeasurementFailure(description: "\(command) has \(owner.lineCount - 1) messages")
    }
    return longest
  }.milliseconds
}
