import Configuration
import Glibc

/// The character devices that systemd lets the installed service open for reading and writing.
/// (systemd.resource-control(5), `DeviceAllow`)
package struct Sandbox: Hashable, Sendable {
  /// The patterns of allowed drivers, as in `tty*`. A pattern matches a name in `/proc/devices` or a major number.
  package var drivers: [String] = []
  /// The paths of the devices that the systemd unit allows by path.
  package var devices: Set<String> = []

  func allows(_ file: DeviceFile) -> Bool {
    devices.contains(file.path)
      || drivers.contains { pattern in file.drivers.contains { unsafe fnmatch(pattern, $0, 0) == 0 } }
  }
}

extension Machine {
  /// Returns an error if the sandbox of the installed systemd service does not let the daemon open a device; otherwise
  /// nil.
  ///
  /// - Parameter name: The feature that uses the device, in the words of messages, as in `the console`; nil for the
  ///   receiver.
  func sandboxFinding(_ file: DeviceFile, _ name: String? = nil, at location: ConfigurationLocation) -> Finding? {
    guard let sandbox, let driver = file.driver, !sandbox.allows(file) else { return nil }
    return Finding(
      .sandboxDenied, at: location, ["title": Finding.title(name), "path": file.path, "driver": driver],
      repairs: [.allow(driver: driver)])
  }
}
