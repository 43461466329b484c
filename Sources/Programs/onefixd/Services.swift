import Features

/// Runs the services (the long-lived tasks) of the daemon, and stops them in order.
struct Services {
  /// The error that a service has ended although the daemon did not stop.
  struct UnexpectedEnd: Error, CustomStringConvertible {
    var service: String
    var description: String { "\(service) has ended (this is a fault of onefixd: please report it)" }
  }

  let services: [any Service]

  /// Runs all services until the first element of `stops`, and then stops the services one by one in reverse order. An
  /// error of one service cancels all other services.
  func run(until stops: AsyncStream<Void>) async throws {
    let entries = services.map { (service: $0, stop: OneTimeEvent()) }
    try await withThrowingTaskGroup(of: Int?.self) { group in
      for (index, entry) in entries.enumerated() {
        group.addTask {
          try await entry.service.run(until: entry.stop)
          return index
        }
      }
      group.addTask {
        for await _ in stops { break }
        return nil
      }
      if let ended = try await group.next() ?? nil {
        throw UnexpectedEnd(service: "\(type(of: services[ended]))")
      }
      var ended: Set<Int> = []
      for index in entries.indices.reversed() {
        entries[index].stop.occur()
        while !ended.contains(index), let next = try await group.next() ?? nil { ended.insert(next) }
      }
    }
  }
}
