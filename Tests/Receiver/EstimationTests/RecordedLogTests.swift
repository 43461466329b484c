import Base
import Decoding
import FoundationEssentials
import GNSS
import Repository
import Testing

@testable import Estimation

@Test func `no log of a receiver raises an alarm`() throws {
  let folder = Repository.root + "/Tests/Fixtures/ReceiverLogs/"
  let fixtures = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".nmea") }
  #expect(!fixtures.isEmpty)
  for path in fixtures.map({ folder + $0 }) + Repository.recordedLogs {
    var pipeline = ReceiverPipeline(isLive: false)
    pipeline.open()
    var now = MonotonicInstant(nanoseconds: 0)
    func serve() {
      while pipeline.advance(today: nil) {
        #expect(pipeline.condition.signals.suspicion == nil, "\(path)")
        #expect(pipeline.latest?.fix.suspicion == nil, "\(path)")
      }
    }
    let bytes = Array(try Data(contentsOf: URL(filePath: path)))
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      pipeline.consume(Array(line) + [0x0A], at: now)
      serve()
      now = now + .milliseconds(1)
    }
    _ = pipeline.pass(to: now + .seconds(1))
    serve()
    #expect(pipeline.totals.fixes > 0 && pipeline.totals.jumps == 0, "\(path)")
    #expect(pipeline.drainNotices().isEmpty, "\(path)")
  }
}
