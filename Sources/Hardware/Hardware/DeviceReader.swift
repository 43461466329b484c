/// A reader of a device, with a liveness check.
package protocol DeviceReader: Sendable {
  /// Returns when the reader's thread or event loop responds, or immediately if the reader is not running. A reader
  /// that runs in the caller's task uses the default implementation, which returns immediately.
  func respond() async
}

extension DeviceReader {
  package func respond() async {}
}
