public import Base
public import GNSS

/// A decoder of a receiver's bytes into epochs. The caller passes the time at which bytes arrive.
public protocol EpochDecoder {
  /// Decodes bytes that arrived together.
  mutating func consume(_ bytes: Span<UInt8>, at instant: MonotonicInstant, to output: inout some NMEAOutput)
  /// Handles a silence of the line.
  mutating func idle(at instant: MonotonicInstant, to output: inout some NMEAOutput)
  /// Handles the end of the input.
  mutating func finish(to output: inout some NMEAOutput)
}

extension EpochDecoder {
  /// Decodes bytes that arrived together, and passes only the epochs to a closure.
  public mutating func consume(_ bytes: Span<UInt8>, at instant: MonotonicInstant, _ epoch: (Epoch) -> Void) {
    withoutActuallyEscaping(epoch) {
      var output = EpochOutput(epoch: $0)
      consume(bytes, at: instant, to: &output)
    }
  }

  /// Handles a silence of the line, and passes only the epochs to a closure.
  public mutating func idle(at instant: MonotonicInstant, _ epoch: (Epoch) -> Void) {
    withoutActuallyEscaping(epoch) {
      var output = EpochOutput(epoch: $0)
      idle(at: instant, to: &output)
    }
  }

  /// Handles the end of the input, and passes only the epochs to a closure.
  public mutating func finish(_ epoch: (Epoch) -> Void) {
    withoutActuallyEscaping(epoch) {
      var output = EpochOutput(epoch: $0)
      finish(to: &output)
    }
  }
}

private struct EpochOutput: NMEAOutput {
  let epoch: (Epoch) -> Void

  func receive(_ epoch: Epoch) { self.epoch(epoch) }
}
