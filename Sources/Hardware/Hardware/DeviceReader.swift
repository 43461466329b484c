/// A reader of a device, with a liveness check.
package protocol DeviceReader: Sendable {
  /// Returns when the reader's thread or event loop responds. The function does not return while the thread or event
  /// loop is stuck; it returns immediately if the reader is not running.
  ///
  /// By default it returns immediately, for readers that run in the caller's task.
  func answer() async
}

extension DeviceReader {
  package func answer() async {}
}
