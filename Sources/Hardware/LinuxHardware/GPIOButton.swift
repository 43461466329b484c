package import Hardware

package final class GPIOButton: EdgeInput {
  /// The minimum quiet window for which the kernel also debounces the GPIO line. In the quiet window after a level
  /// change (edge), further edges have no effect.
  ///
  /// A kernel that debounces rounds the times of edges to its timer ticks (4 ms at 250 Hz). The rounding is too
  /// inaccurate for shorter windows. Owners (administrators) configure a longer window only for noisy contacts.
  /// (libgpiod 2.x)
  static let noisyQuiet = Duration.milliseconds(50)
  static let kernelDebounce = Duration.milliseconds(5)

  private let spec: LineSpec
  private let debounce: Duration
  private let reader: EdgeReader

  /// Creates a button.
  /// - Parameter quiet: the quiet window after a level change (edge), in which further edges have no effect.
  package init(_ spec: LineSpec, quiet: Duration, reader: EdgeReader) {
    self.spec = spec
    self.debounce = quiet >= GPIOButton.noisyQuiet ? GPIOButton.kernelDebounce : .zero
    self.reader = reader
  }

  package func respond() async { await reader.respond() }

  package func confirmEdges() { reader.confirmEdges() }

  /// Delivers the events of the button. Each call searches for the GPIO line, because a removed GPIO chip may return
  /// with a different number.
  package func run(_ receive: @Sendable (EdgeEvent) async -> Void) async throws {
    let source = try GPIOEdges(try GPIOChips.present().locate(spec), debounce: debounce)
    for try await event in reader.events(of: source) { await receive(event) }
    try Task.checkCancellation()
  }
}

final class GPIOEdges: EdgeSource {
  let name: String
  let descriptor: Int32
  let device: String?
  private let line: GPIOLine

  init(_ location: LineLocation, debounce: Duration) throws(HardwareError) {
    line = try GPIOLine(location, for: .edges(debounce: debounce))
    name = "GPIO line \(location)"
    device = location.path.split(separator: "/").last.map(String.init)
    descriptor = try line.descriptor()
  }

  func readEdges() throws(HardwareError) -> EdgeRecords { try line.readEdges() }

  func activity() throws(HardwareError) -> LineActivity { try line.isActive() ? .active : .inactive }
}
