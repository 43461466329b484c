import Base
import Glibc
import Hardware
import LinuxHardware
import Logging
import NIOCore
import NIOPosix
import OperatingSystem

/// The time from the timestamp of a release to its press event, through the reader of the daemon.
///
/// A pipe replaces the GPIO line: each edge is written with the current time, as the kernel stamps edges in its
/// interrupt. The next edge follows as soon as the previous one was processed, without a quiet time, because the
/// measurement is about the path of an edge and not about a finger.
@main
struct EdgeLatency {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst().map { Int($0) }
    guard let presses = arguments.first ?? 5000, presses > 0, arguments.count <= 2 else {
      print("usage: edge-latency [PRESSES [PRIORITY]]")
      exit(64)
    }
    let priority = arguments.count > 1 ? arguments[1] : nil
    let reader = try EdgeReader(priority: priority, logger: Logger(label: "edge-latency"))
    let pipe = EdgePipe()
    let listener = Listener(loop: MultiThreadedEventLoopGroup.singleton.next())
    let reading = Task { for try await event in reader.events(of: pipe) { await listener.take(event) } }
    var latencies: [Int64] = []
    latencies.reserveCapacity(presses)
    for _ in 0..<presses {
      pipe.write(.active)
      await listener.wait { $0.isDown }
      let released = pipe.write(.inactive)
      await listener.wait { !$0.isDown }
      latencies.append(await listener.pressedAt.nanoseconds - released.nanoseconds)
      // A pause before the next press, so that the reader is asleep again.
      var pause = timespec(tv_sec: 0, tv_nsec: 500_000)
      _ = unsafe nanosleep(&pause, nil)
    }
    reading.cancel()
    latencies.sort()
    func percentile(_ share: Double) -> Double { Double(latencies[Int(Double(latencies.count - 1) * share)]) / 1e6 }
    print(
      #"{"edges":\#(presses * 2),"p50_ms":\#(percentile(0.5)),"p99_ms":\#(percentile(0.99)),"max_ms":\#(percentile(1))}"#
    )
  }
}

/// Consumes events as the gateway does: an actor on an event loop.
private actor Listener {
  private nonisolated let loop: any EventLoop
  private var debouncer: Debouncer?
  private(set) var pressedAt = MonotonicInstant(nanoseconds: 0)
  private var waiting: CheckedContinuation<Void, Never>?

  init(loop: any EventLoop) { self.loop = loop }

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.executor.asUnownedSerialExecutor() }

  var isDown: Bool { debouncer?.downSince != nil }

  func take(_ event: EdgeEvent) {
    switch event {
    case .initial(let activity, let instant):
      debouncer = Debouncer(timing: .init(quiet: .zero, shortestPress: .zero), initially: activity, at: instant)
    case .edge(let edge):
      for case .pressed in debouncer?.handle(edge) ?? [] { pressedAt = SystemClock.monotonic }
    case .confirmed: break
    case .lost:
      print("edges were lost: no figure")
      exit(70)
    }
    waiting?.resume()
    waiting = nil
  }

  func wait(until isSo: @Sendable (isolated Listener) -> Bool) async {
    while !isSo(self) { await withCheckedContinuation { waiting = $0 } }
  }
}
