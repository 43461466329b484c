import Base
import Configuration

/// The files that the gateway keeps when the machine stops.
package struct StateFiles: Hashable, Sendable {
  /// The directory of the state.
  package var state: String
  /// The anchor of the log.
  package var anchor: String
  /// The device's key, or the file from which the service manager makes its credential.
  package var key: String
  /// Whether the daemon creates a missing key. A missing credential of the service manager can have another source.
  package var isKeyCreated: Bool

  package init(state: String, anchor: String, key: String, isKeyCreated: Bool) {
    self.state = state
    self.anchor = anchor
    self.key = key
    self.isKeyCreated = isKeyCreated
  }
}

extension Subject {
  /// Returns a finding for each file of the state that returns to an earlier copy when the machine starts, or that
  /// cannot be written. If state, anchor and key return together, the next start has no lock and no denial of the last
  /// run, and the log seems unchanged.
  func storageFindings(on machine: Machine) -> [Finding] {
    guard let files = stateFiles, !board.isSimulated else { return [] }
    let state = finding(
      files.state, "the state", "the next start of the machine has no lock, denial or log entry of this run",
      on: machine,
      remedy: "mount a partition of its own there")
    let anchor = finding(
      files.anchor, "the anchor of the log",
      "the next start of the machine cannot detect the removal of log entries of this run", on: machine,
      remedy: "mount a folder of the state's partition at its folder")
    let key = finding(
      files.key, "the device key",
      "the next start of the machine may have another key, and so other approximate locations and a broken log",
      on: machine,
      remedy: "create it before the overlay is switched on")
    let isKeyChecked = machine.files[files.key] != nil || files.isKeyCreated
    return [state, anchor, isKeyChecked ? key : nil].compactMap(\.self)
  }

  private static let manual = "man onefixd, A READ-ONLY ROOT"

  /// - Parameters:
  ///   - harm: The consequence if a stop of the machine undoes the changes of the file.
  ///   - remedy: The words of the remedy before the reference to the manual.
  private func finding(_ path: String, _ part: String, _ harm: String, on machine: Machine, remedy: String) -> Finding?
  {
    let place: String
    switch machine.storage[path] {
    case nil, .durable: return nil
    case .readOnly:
      return Finding(
        .stateReadOnly, .error, at: ConfigurationLocation(file: path),
        "\(part) cannot be written: its file system is mounted read-only",
        remedy: "mount its file system with write access, or a partition of its own there: \(Self.manual)")
    case .memory(let name): place = "is in memory (\(name))"
    case .overlay(let changes?): place = "is on an overlay whose changes are in memory (\(changes))"
    case .overlay(nil): place = "is on an overlay, and the file system of its changes is not visible"
    }
    let message = "\(part) \(place): \(harm)"
    let remedy = "\(remedy): \(Self.manual)"
    return configuration.allowsVolatileState
      ? Finding(
        .stateVolatile, .warning, at: ConfigurationLocation(file: path),
        message + " (allow_volatile_state permits it)", remedy: remedy)
      : Finding(
        .stateVolatile, .error, at: ConfigurationLocation(file: path), message,
        remedy: remedy + "; or allow_volatile_state = true in onefix.toml")
  }

  /// Returns a finding if the clock of the machine was never set.
  func clockFindings(on machine: Machine) -> [Finding] {
    guard let clock = machine.clock, clock < .firstGateways else { return [] }
    return [
      Finding(
        .clockUnset, .warning, at: ConfigurationLocation(file: "clock"),
        "the clock of this machine is not set: it shows \(clock.iso8601.prefix(10))",
        remedy: "see timedatectl; without a network, [time] sets the clock from the receiver (man onefix.toml)")
    ]
  }
}
