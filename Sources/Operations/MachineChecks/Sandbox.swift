import Configuration
import Glibc

/// The character devices that systemd lets the installed service open for reading and writing. (systemd.resource-control(5),
/// `DeviceAllow`)
package struct Sandbox: Hashable, Sendable {
  /// The patterns of drivers, as in `tty*`, by name in `/proc/devices` or by major number.
  package var drivers: [String] = []
  /// The devices that the unit names by their nodes.
  package var devices: Set<String> = []

  func allows(_ file: DeviceFile) -> Bool {
    devices.contains(file.path)
      || drivers.contains { pattern in file.drivers.contains { unsafe fnmatch(pattern, $0, 0) == 0 } }
  }
}

extension Machine {
  /// Returns a finding if the sandbox of the installed service does not let the daemon open a device.
  ///
  /// - Parameter part: the part of the gateway that uses the device, as in `the console`; nil for the receiver.
  func sandboxFinding(_ file: DeviceFile, _ part: String? = nil, at location: ConfigurationLocation) -> Finding? {
    guard let sandbox, let driver = file.driver, !sandbox.allows(file) else { return nil }
    return Finding(
      .sandboxDenied, .error, at: location,
      (part.map { "\($0): " } ?? "")
        + "the sandbox of onefix.service does not let the daemon open \(file.path) (driver \(driver))",
      remedy: "add the lines [Service] and DeviceAllow=char-\(driver) rw with systemctl edit onefix, and restart it",
      repairs: [.allow(driver: driver)])
  }
}
