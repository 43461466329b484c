import Base
import Configuration

/// The paths of the files that the gateway needs after a restart of the machine.
package struct StateFiles: Hashable, Sendable {
  /// The folder with the gateway's database and other files of the gateway's state.
  package var state: String
  /// The file with copies of the end of the disclosure log, which show a later removal of log entries.
  package var anchor: String
  /// The file with the device's key (a secret of this gateway), or the file that systemd passes to the daemon as a
  /// credential.
  package var key: String
  /// Whether the daemon creates the key if the file is missing. If false, the key is a credential of systemd.
  package var isKeyCreated: Bool

  package init(state: String, anchor: String, key: String, isKeyCreated: Bool) {
    self.state = state
    self.anchor = anchor
    self.key = key
    self.isKeyCreated = isKeyCreated
  }
}

extension Subject {
  /// Returns a problem for each file that the daemon cannot write, or that a restart of the machine replaces by an
  /// older copy.
  ///
  /// If all files become older together, the gateway loses a user's lock or denial, and the log does not show the loss.
  func storageFindings(on machine: Machine) -> [Finding] {
    guard let files = stateFiles, !board.isSimulated else { return [] }
    let isKeyChecked = machine.files[files.key] != nil || files.isKeyCreated
    return [
      finding(.stateVolatile, "the state", files.state, on: machine),
      finding(.anchorVolatile, "the anchor of the log", files.anchor, on: machine),
      isKeyChecked ? finding(.keyVolatile, "the device key", files.key, on: machine) : nil,
    ].compactMap(\.self)
  }

  /// Returns the problem with the storage of one file; nil if the file survives a restart.
  /// - Parameters:
  ///   - volatile: The problem to report for a file that is lost at a restart.
  ///   - file: The name of the file in messages, as in `the state`.
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

  /// Returns a warning if the wall clock shows a time before the first OneFix gateways existed. Such a clock was never
  /// set.
  func clockFindings(on machine: Machine) -> [Finding] {
    guard let clock = machine.clock, clock < .firstGateways else { return [] }
    return [Finding(.clockUnset, at: ConfigurationLocation(file: "clock"), ["day": "\(clock.iso8601.prefix(10))"])]
  }
}
