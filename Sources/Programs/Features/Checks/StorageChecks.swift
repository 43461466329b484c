import Base
import Configuration

/// The paths of the files that must survive a stop of the machine: the gateway's state and the device's key.
package struct StateFiles: Hashable, Sendable {
  /// The directory of the gateway's state.
  package var state: String
  /// The anchor file of the log, which reveals the removal of the last log entries.
  package var anchor: String
  /// The file of the device's key, or the file from which systemd makes the credential with the key.
  package var key: String
  /// Whether the daemon creates a missing key. If false, the key is a credential of systemd, and can have another
  /// source.
  package var isKeyCreated: Bool

  package init(state: String, anchor: String, key: String, isKeyCreated: Bool) {
    self.state = state
    self.anchor = anchor
    self.key = key
    self.isKeyCreated = isKeyCreated
  }
}

extension Subject {
  /// Returns a problem for each file of the gateway's state that the daemon cannot write, or that a start of the
  /// machine sets back to an earlier copy.
  ///
  /// If state, anchor and key return together, the next start has no lock and no denial of the last run, and the log
  /// seems unchanged.
  func storageFindings(on machine: Machine) -> [Finding] {
    guard let files = stateFiles, !board.isSimulated else { return [] }
    let isKeyChecked = machine.files[files.key] != nil || files.isKeyCreated
    return [
      finding(.stateVolatile, "the state", files.state, on: machine),
      finding(.anchorVolatile, "the anchor of the log", files.anchor, on: machine),
      isKeyChecked ? finding(.keyVolatile, "the device key", files.key, on: machine) : nil,
    ].compactMap(\.self)
  }

  /// Returns the problem of one file; nil for a file on durable storage.
  /// - Parameter file: The name of the file in messages, as in `the state`.
  private func finding(_ volatile: Fault, _ file: String, _ path: String, on machine: Machine) -> Finding? {
    let location = ConfigurationLocation(file: path)
    let place: String
    switch machine.storage[path] {
    case nil, .durable: return nil
    case .readOnly: return Finding(.stateReadOnly, at: location, ["file": file])
    case .memory(let name): place = "is in memory (\(name))"
    case .overlay(let changes?): place = "is on an overlay whose changes are in memory (\(changes))"
    case .overlay(nil): place = "is on an overlay, and the file system of its changes is not visible"
    }
    let fault = volatile.permitted(configuration.allowsVolatileState, by: "allow_volatile_state")
    return Finding(fault, at: location, ["file": file, "place": place])
  }

  /// Returns a warning if the clock of the machine was never set.
  func clockFindings(on machine: Machine) -> [Finding] {
    guard let clock = machine.clock, clock < .firstGateways else { return [] }
    return [Finding(.clockUnset, at: ConfigurationLocation(file: "clock"), ["day": "\(clock.iso8601.prefix(10))"])]
  }
}
