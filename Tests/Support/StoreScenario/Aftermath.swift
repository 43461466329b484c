import Base
import Glibc
import StateStore

/// The invariants of the files of an interrupted scenario when a store opens them again.
package struct Aftermath {
  /// The content of the store after each step of an undisturbed run.
  private let contents: [Scenario.Contents?]

  package struct Broken: Error, CustomStringConvertible {
    package let description: String
  }

  package init(_ contents: [Scenario.Contents?]) { self.contents = contents }

  /// Runs a scenario undisturbed and records the content after each step.
  package init(undisturbedIn directory: String) throws {
    var contents: [Scenario.Contents?] = []
    var scenario = Scenario(directory: directory)
    try scenario.run { contents.append($1) }
    self.contents = contents
  }

  /// Checks the invariants.
  /// - Parameter steps: The number of completed steps.
  /// - Throws: `Broken` if an invariant does not hold, or the error of the store.
  package func check(_ directory: String, after steps: Int) throws {
    let scenario = Scenario(directory: directory)
    let now = Scenario.clock(100)
    // The interruption can come before the key is created.
    if steps == 0, unsafe access(scenario.keyPath, F_OK) != 0 { return }
    let key = try DeviceKey(readingFrom: scenario.keyPath)
    let store = try StateStore(directory: scenario.statePath, key: key, anchor: scenario.anchorPath, now: now)
    let found = try Scenario.contents(of: store)
    // The interrupted step may or may not have taken effect.
    let over = steps > 0 ? contents[steps - 1] : nil
    let next = steps < contents.count ? contents[steps] : nil
    let possible = [over ?? stopped(before: steps), next ?? stopped(before: steps)]
    guard possible.contains(where: { isAftermath(found, of: $0) }) else {
      throw Broken(description: "after \(steps) steps there is \(found), but should be one of \(possible)")
    }
    let verification = try store.verifyLog()
    guard verification.isGood else { throw Broken(description: "\(verification.faults)") }
    // The store must still be usable.
    guard try store.anchor(now: now) == nil else { throw Broken(description: "it cannot be anchored") }
    if !found.isLocked { try store.saveLock(true) }
    store.close()
    let again = try StateStore(directory: scenario.statePath, key: key, anchor: scenario.anchorPath, now: now)
    guard try again.load(now: now).isLocked, again.lostDisclosures.isEmpty else {
      throw Broken(description: "the lock is gone after a second restart, or something is lost twice")
    }
  }

  /// Returns the content of the store before a regular stop.
  private func stopped(before steps: Int) -> Scenario.Contents {
    contents.prefix(steps).last { $0 != nil }.flatMap { $0 } ?? Scenario.Contents()
  }

  /// Whether the found content differs from the earlier content only in the loss of open requests.
  private func isAftermath(_ found: Scenario.Contents, of before: Scenario.Contents) -> Bool {
    var closed = Set<Int64>()
    for entry in before.entries {
      switch entry.event {
      case .outcome(_, let opening), .end(_, _, let opening): closed.insert(opening)
      case .disclosure, .interval, .answer, .rightEnd: break
      }
    }
    // A fix that waits for a broker stays open and is not lost.
    closed.formUnion(before.waiting.map(\.disclosure))
    let lost = before.entries.compactMap { entry -> LogEntry.Event? in
      switch entry.event {
      case .disclosure where !closed.contains(entry.sequence): .outcome(.lost, of: entry.sequence)
      case .interval where !closed.contains(entry.sequence): .end(.lost, fixes: nil, of: entry.sequence)
      case .disclosure, .interval, .outcome, .end, .answer, .rightEnd: nil
      }
    }
    return found.records == before.records && found.isLocked == before.isLocked && found.memory == before.memory
      && found.waiting == before.waiting && found.regions == before.regions
      && Array(found.entries.prefix(before.entries.count)) == before.entries
      && found.entries.dropFirst(before.entries.count).map(\.event) == lost
  }
}
