import Clocks
import Glibc
import StateStore

/// What must hold when the files of a scenario that was interrupted are opened again.
package struct Aftermath {
  /// What the store held after each step of an undisturbed run.
  private let contents: [Scenario.Contents?]

  package struct Broken: Error, CustomStringConvertible {
    package let description: String
  }

  package init(_ contents: [Scenario.Contents?]) { self.contents = contents }

  /// Runs a scenario undisturbed to see what it leaves.
  package init(undisturbedIn directory: String) throws {
    var contents: [Scenario.Contents?] = []
    var scenario = Scenario(directory: directory)
    try scenario.run { contents.append($1) }
    self.contents = contents
  }

  /// - Parameter steps: how many steps were over.
  /// - Throws: `Broken` where an invariant does not hold, or what the store throws.
  package func check(_ directory: String, after steps: Int) throws {
    let scenario = Scenario(directory: directory)
    let now = Scenario.clock(100)
    // The key may have been about to be made.
    if steps == 0, unsafe access(scenario.keyPath, F_OK) != 0 { return }
    let key = try DeviceKey(readingFrom: scenario.keyPath)
    let store = try StateStore(directory: scenario.statePath, key: key, anchor: scenario.anchorPath, now: now)
    let found = try Scenario.contents(of: store)
    // The steps that may have been the last: all that were over, and the one that was not.
    let over = steps > 0 ? contents[steps - 1] : nil
    let next = steps < contents.count ? contents[steps] : nil
    let possible = [over ?? stopped(before: steps), next ?? stopped(before: steps)]
    guard possible.contains(where: { isAftermath(found, of: $0) }) else {
      throw Broken(description: "after \(steps) steps there is \(found), but should be one of \(possible)")
    }
    let verification = try store.verifyLog()
    guard verification.isGood else { throw Broken(description: "\(verification.faults)") }
    // It can be used on.
    guard try store.anchor(now: now) == nil else { throw Broken(description: "it cannot be anchored") }
    if !found.isLocked { try store.saveLock(true) }
    store.close()
    let again = try StateStore(directory: scenario.statePath, key: key, anchor: scenario.anchorPath, now: now)
    guard try again.load(now: now).isLocked, again.lostDisclosures.isEmpty else {
      throw Broken(description: "the lock is gone after a second restart, or something is lost twice")
    }
  }

  /// What a store that is closed holds: what it held before.
  private func stopped(before steps: Int) -> Scenario.Contents {
    contents.prefix(steps).last { $0 != nil }.flatMap { $0 } ?? Scenario.Contents()
  }

  /// Whether nothing was added, lost or changed, but that what was open is lost.
  private func isAftermath(_ found: Scenario.Contents, of before: Scenario.Contents) -> Bool {
    var closed = Set<Int64>()
    for entry in before.entries {
      switch entry.event {
      case .outcome(_, let opening), .end(_, _, let opening): closed.insert(opening)
      case .disclosure, .interval: break
      }
    }
    // What waits for a broker is open, and not lost.
    closed.formUnion(before.waiting.map(\.disclosure))
    let lost = before.entries.compactMap { entry -> LogEntry.Event? in
      switch entry.event {
      case .disclosure where !closed.contains(entry.sequence): .outcome(.lost, of: entry.sequence)
      case .interval where !closed.contains(entry.sequence): .end(.lost, fixes: nil, of: entry.sequence)
      case .disclosure, .interval, .outcome, .end: nil
      }
    }
    return found.records == before.records && found.isLocked == before.isLocked && found.memory == before.memory
      && found.waiting == before.waiting
      && Array(found.entries.prefix(before.entries.count)) == before.entries
      && found.entries.dropFirst(before.entries.count).map(\.event) == lost
  }
}
