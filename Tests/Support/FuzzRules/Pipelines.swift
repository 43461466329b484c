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
    for piece in pieces(of: bytes, length: chunk) {
      pipeline.consume(Array(piece), at: now)
      now = now + .milliseconds(Int64(piece[piece.startIndex]) * 4)
      _ = pipeline.pass(to: now)
      serve(&pipeline)
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

/// Returns the bytes in pieces of a length, 1 or more. Only the last piece can be shorter.
func pieces(of bytes: [UInt8], length: Int) -> [ArraySlice<UInt8>] {
  stride(from: 0, to: bytes.count, by: min(length, max(1, bytes.count))).map { bytes[$0...].prefix(length) }
}
