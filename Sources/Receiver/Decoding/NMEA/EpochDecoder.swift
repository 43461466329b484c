public import Base
public import GNSS

/// A decoder that converts a receiver's bytes to epochs (an epoch is all data of one instant). The decoder has no
/// clock: the caller passes the time.
public protocol EpochDecoder {
  /// Decodes bytes that arrived together at `instant`, and passes each result to `output`.
  mutating func consume(_ bytes: Span<UInt8>, at instant: MonotonicInstant, to output: inout some NMEAOutput)
  /// Completes the current epoch (all data of one instant) after a pause of the receiver. `instant` is the present
  /// time.
  mutating func idle(at instant: MonotonicInstant, to output: inout some NMEAOutput)
  /// Completes the current epoch (all data of one instant), because the input has ended.
  mutating func finish(to output: inout some NMEAOutput)
}

extension EpochDecoder {
  /// Decodes bytes that arrived together at `instant`, and calls the closure for each completed epoch (all data of one
  /// instant).
  public mutating func consume(_ bytes: Span<UInt8>, at instant: MonotonicInstant, _ epoch: (Epoch) -> Void) {
    withoutActuallyEscaping(epoch) {
      var output = EpochOutput(epoch: $0)
      consume(bytes, at: instant, to: &output)
    }
  }

  /// Completes the current epoch (all data of one instant) after a pause of the receiver, and passes the epoch to the
  /// closure. `instant` is the present time.
  public mutating func idle(at instant: MonotonicInstant, _ epoch: (Epoch) -> Void) {
    withoutActuallyEscaping(epoch) {
      var output = EpochOutput(epoch: $0)
      idle(at: instant, to: &output)
    }
  }

  /// Completes the current epoch (all data of one instant), because the input has ended, and passes the epoch to the
  /// closure.
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
