package import Hardware

/// A button on a GPIO line.
package final class GPIOButton: EdgeInput {
  /// The kernel is asked to filter a quarter of the quiet time, at most this: it takes away storms of edges, and delays
  /// their timestamps by as much. (libgpiod 2.x only)
  static let longestKernelDebounce = Duration.milliseconds(5)

  private let spec: LineSpec
  private let debounce: Duration
  private let reader: EdgeReader

  /// - Parameter quiet: how long the contact may bounce, as `Debouncer.Timing.quiet`.
  package init(_ spec: LineSpec, quiet: Duration, reader: EdgeReader) {
    self.spec = spec
    self.debounce = min(quiet / 4, GPIOButton.longestKernelDebounce)
    self.reader = reader
  }

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
