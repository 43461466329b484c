package import Hardware

/// A button on a GPIO line.
package final class GPIOButton: EdgeInput {
  /// The kernel is asked to filter only where the owner calls the contact noisy, with a quiet time of 50 ms or more: it
  /// rounds to its own ticks (4 ms at 250 Hz), so that edges move by as much, and 20 ms are 20 ms no more. (libgpiod
  /// 2.x)
  static let noisyQuiet = Duration.milliseconds(50)
  static let kernelDebounce = Duration.milliseconds(5)

  private let spec: LineSpec
  private let debounce: Duration
  private let reader: EdgeReader

  /// - Parameter quiet: how long the contact may bounce, as `Debouncer.Timing.quiet`.
  package init(_ spec: LineSpec, quiet: Duration, reader: EdgeReader) {
    self.spec = spec
    self.debounce = quiet >= GPIOButton.noisyQuiet ? GPIOButton.kernelDebounce : .zero
    self.reader = reader
  }

  package func answer() async { await reader.answer() }

  /// Looks for the line each time that it is run: a chip that comes back has another number.
  package func run(_ receive: @Sendable (EdgeEvent) async -> Void) async throws {
    let source = try GPIOEdges(try GPIOChips.present().locate(spec), debounce: debounce)
    for try await event in reader.events(of: source) { await receive(event) }
    try Task.checkCancellation()
  }
}

/// A line whose edges are read.
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
