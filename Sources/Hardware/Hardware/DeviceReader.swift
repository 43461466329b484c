/// A reader of a device, with a check that the reader does not hang.
package protocol DeviceReader: Sendable {
  /// Waits for a response of the reader's thread or event loop, which shows that the thread or event loop does not
  /// hang. Returns immediately if the reader is not running. A reader without a thread or an event loop of its own uses
  /// the default implementation, which returns immediately.
  func respond() async
}

extension DeviceReader {
  package func respond() async {}
}
