/// Something that reads a device while it is run, and can be asked whether it still does.
package protocol DeviceReader: Sendable {
  /// Returns when what reads the device has come by; not while that is stuck, and at once where nothing is read now.
  ///
  /// A reader without a thread or an event loop of its own runs where whoever runs it does: it has nothing to add.
  func answer() async
}

extension DeviceReader {
  package func answer() async {}
}
