internal import Base
internal import Estimation
internal import GNSS

/// Checks the path from the bytes of a receiver to fixes: no bytes stop it, and each fix has an accuracy.
/// - Parameter chunk: The bytes that the pipeline gets at once, 1 or more.
public func pipelineHolds(_ bytes: [UInt8], chunk: Int) {
  for isLive in [true, false] {
    var pipeline = ReceiverPipeline(isLive: isLive)
    pipeline.open()
    var now = MonotonicInstant(nanoseconds: 0)
    var begin = 0
    while begin < bytes.count {
      let end = begin + min(chunk, bytes.count - begin)
      pipeline.consume(Array(bytes[begin..<end]), at: now)
      now = now + .milliseconds(Int64(bytes[begin]) * 4)
      _ = pipeline.pass(to: now)
      serve(&pipeline)
      begin = end
    }
  }
}

/// Checks the path from the epochs of another program to fixes.
func pipelineHolds(_ epochs: [Epoch]) {
  var pipeline = ReceiverPipeline(isLive: true)
  pipeline.open()
  for epoch in epochs { pipeline.consume(epoch) }
  serve(&pipeline)
}

private func serve(_ pipeline: inout ReceiverPipeline) {
  while pipeline.advance(today: nil) {
    guard let fix = pipeline.latest?.fix else { continue }
    precondition(fix.horizontalAccuracy.isFinite && fix.horizontalAccuracy >= 0)
    _ = fix.time?.iso8601
  }
}
