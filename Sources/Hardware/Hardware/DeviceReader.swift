/// A reader of a device, which can show that its thread or event loop still runs.
package protocol DeviceReader: Sendable {
  /// Waits until the reader's thread or event loop responds, which proves that the reader does not hang. Returns
  /// immediately if the reader is not running, or has no thread or event loop of its own.
  func respond() async
}

extension DeviceReader {
  package func respond() async {}
}
