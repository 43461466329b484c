/// A reader of a device, with a liveness check.
package protocol DeviceReader: Sendable {
  /// Returns when the reader's thread or event loop responds. The function does not return while the thread or event
  /// loop is stuck. If the reader is not running, the function returns immediately.
  ///
  /// The default implementation returns immediately. This implementation is for readers that run in the caller's task.
  func respond() async
}

extension DeviceReader {
  package func respond() async {}
}
