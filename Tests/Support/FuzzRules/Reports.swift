internal import Base
public import GNSS

/// Checks the client of gpsd with any bytes from gpsd's port: the split of the bytes does not change the epochs, and the
/// epochs do not stop the path to fixes.
/// - Parameters:
///   - chunk: The bytes that the reader gets at once, 1 or more.
///   - check: A function that checks one epoch.
public func reportsHold(_ bytes: [UInt8], chunk: Int, check: (Epoch) -> Void) {
  let whole = reports(bytes, chunk: .max / 2, check)
  for chunk in [1, chunk] { precondition(reports(bytes, chunk: chunk, check) == whole) }
  _ = reports(bytes, chunk: chunk, pauses: true, check)
  pipelineHolds(whole.epochs)
}

private struct Heard: Equatable {
  var epochs: [Epoch] = []
  var brokenLines = 0
  var release: String?
  var isNotGPSD = false
}

private func reports(_ bytes: [UInt8], chunk: Int, pauses: Bool = false, _ check: (Epoch) -> Void) -> Heard {
  var reader = GPSDReader()
  var heard = Heard()
  var now = MonotonicInstant(nanoseconds: 0)
  func take(_ epoch: Epoch) {
    check(epoch)
    heard.epochs.append(epoch)
  }
  for piece in pieces(of: bytes, length: chunk) {
    reader.consume(piece, at: now, take)
    if pauses {
      now = now + .milliseconds(Int64(piece[piece.startIndex]) * 4)
      reader.idle(at: now, take)
    }
  }
  now = now + .seconds(1)
  reader.idle(at: now, take)
  precondition(reader.nextDeadline == nil)
  (heard.brokenLines, heard.release, heard.isNotGPSD) = (reader.brokenLines, reader.release, reader.isNotGPSD)
  return heard
}
