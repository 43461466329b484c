import Authorization
import LineProtocol
import Ports

/// Rows about the rights of apps: presses, streams of updates, and the kill switch.
let rightsRows = [
  Row("press", .milliseconds, [100, 1000, 10_000]) { apps in
    let records = MeasuredGateway.records(apps, .notDetermined)
    return try await MeasuredGateway.with(records: records) { gateway in
      let client = try await gateway.connect(records[0].app)
      return try await shortest(of: 7) { try await gateway.press(for: client) }.milliseconds
    }
  },
  Row("press beside waiting apps", .milliseconds, [100, 1000]) { apps in
    let records = MeasuredGateway.records(apps + 1, .notDetermined)
    return try await MeasuredGateway.with(records: records) { gateway in
      for record in records.dropFirst() {
        // A client that only watches waits until the others are served, so these requests stay.
        let client = try await gateway.connect(record.app, over: .gpsd)
        try await gateway.perform(.requestOnce(OnceRequest(requiresPress: true)), on: client)
      }
      let client = try await gateway.connect(records[0].app)
      return try await shortest(of: 5) { try await gateway.press(for: client) }.milliseconds
    }
  },
  Row("press beside streams", .milliseconds, [100, 1000]) { streams in
    try await beside(streams: streams) { gateway, app in
      let client = try await gateway.connect(app)
      return try await shortest(of: 5) { try await gateway.press(for: client) }.milliseconds
    }
  },
  Row("start beside streams", .milliseconds, [100, 1000]) { streams in
    try await beside(streams: streams) { gateway, app in
      let client = try await gateway.connect(app)
      return try await shortest(of: 7) {
        let time = try await gateway.perform(.startUpdates(UpdatesRequest()), on: client)
        try await gateway.perform(.stopUpdates, on: client)
        return time
      }.milliseconds
    }
  },
  Row("lock beside streams", .milliseconds, [100, 1000]) { streams in
    try await shortest(of: 3) {
      try await beside(streams: streams) { gateway, _ in
        let owner = try await gateway.connect(nil)
        return try await gateway.perform(.owner(.lock), on: owner)
      }
    }.milliseconds
  },
]

/// Runs a measurement with a stream of updates for each of several apps, and one further app.
private func beside<Result>(
  streams: Int, _ body: (MeasuredGateway, AppID) async throws -> Result
) async throws -> Result {
  let records = MeasuredGateway.records(streams + 1, .always)
  return try await MeasuredGateway.with(records: records) { gateway in
    await gateway.sendEpoch()
    for record in records.dropLast() {
      let client = try await gateway.connect(record.app)
      try await gateway.perform(.startUpdates(UpdatesRequest()), on: client)
    }
    // Each stream has its log entry after the next fix.
    for _ in 0..<2 { await gateway.sendEpoch() }
    return try await body(gateway, records[streams].app)
  }
}
