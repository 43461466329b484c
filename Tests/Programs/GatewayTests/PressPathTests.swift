import ControlledBoard
import Foundation
import LineProtocol
import Ports
import RecordingClients
import Repository
import Requirements
import Runtime
import Synchronization
import Testing

@testable import Gateway
@testable import SimulatedHardware

/// A stage of the page for contributors: a file and a function.
private struct Stage: Codable, Hashable {
  let file: String
  let function: String

  /// Whether the function is the function of a call stack's frame.
  func isFunction(of symbol: SymbolicatedBacktrace.Symbol?) -> Bool {
    guard let symbol, let path = symbol.sourceLocation?.path else { return false }
    return path.hasSuffix("/\(file)")
      && ["(", "<"].contains { symbol.name.contains(".\(function)\($0)") }
  }
}

@Test(.patient)
func `a press passes the stages that the page for contributors lists, in this order`() async throws {
  let page = try String(contentsOfFile: "\(Repository.root)/Sources/Documentation/architecture.md", encoding: .utf8)
  let path = try #require(page.split(separator: "\n### ").first { $0.hasPrefix("The path of a press\n") })
  let stages = path.matches(of: #/(?m)^\d+\. `([A-Za-z+]+\.swift)`, `([a-z]\w*)`: /#).map {
    Stage(file: String($0.1), function: String($0.2))
  }
  #expect((8...10).contains(stages.count) && stages.count == path.matches(of: #/(?m)^\d+\. /#).count)
  for stage in stages {
    let files = try FileManager.default.subpathsOfDirectory(atPath: "\(Repository.root)/Sources").filter {
      $0.hasSuffix("/\(stage.file)")
    }
    try #require(files.count == 1, "\(stage.file)")
    let source = try String(contentsOfFile: "\(Repository.root)/Sources/\(files[0])", encoding: .utf8)
    #expect(source.contains("func \(stage.function)("), "\(stage)")
  }
  // The walk of the stack reads every file that is mapped into the process. In a process of its own, no other test can
  // remove such a mapping meanwhile.
  await #expect(processExitsWith: .success) { [stages = stages as [Stage]] in
    // The first stage is on the thread of the edges, and the last two belong to the connection.
    var inside = stages.dropFirst().dropLast(2)
    for frame in try await stackOfDisclosure().reversed() {
      if let stage = inside.first, stage.isFunction(of: frame.symbol) { inside.removeFirst() }
    }
    #expect(inside.isEmpty, "the press does not pass \(inside.first.map { "\($0)" } ?? "")")
  }
}

/// Returns the call stack when the client of a press gets its fix, from the innermost call.
private func stackOfDisclosure() async throws -> [SymbolicatedBacktrace.Frame] {
  let images = ImageMap.capture()
  let stack = Mutex<Backtrace?>(nil)
  try await Bench(confirmed()).run { bench in
    let connection = RecordingConnection { call in
      // The walk ends before the frames of the task: their contexts can be freed at the same time.
      if case .once = call { stack.withLock { $0 = try? Backtrace.capture(limit: 24, top: 0, images: images) } }
    }
    await bench.gateway.open(on: connection)
    await bench.gateway.perform(.requestOnce(OnceRequest()), tag: nil, on: connection)
    await bench.clock.pass(.milliseconds(1000))
    bench.receiver.read(nmea("GNGGA,071000.00,4722.6133,N,00832.5016,E,1,11,0.8,408.2,M,47.3,M,,"))
    await bench.clock.pass(.milliseconds(500))
    _ = await bench.button.press(for: .milliseconds(40))
    await bench.pass { $0.waitingCount == 0 && $0.grantCount == 0 }
  }
  return try #require(stack.withLock(\.self)?.symbolicated(with: images)).frames.map(\.self)
}
