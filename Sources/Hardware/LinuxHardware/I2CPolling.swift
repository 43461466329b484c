import Clocks

/// What kind of receiver answers on the bus.
package enum I2CDialect: Hashable, Sendable {
  /// u-blox, at 0x42: a count and a stream.
  case ddc
  /// MediaTek, at 0x10: a padded buffer.
  case paddedBuffer

  /// What usually answers at an address.
  package init(address: UInt16) {
    self = address == 0x10 ? .paddedBuffer : .ddc
  }
}

/// What went over the bus, and what went wrong there.
package struct I2CStatistics: Hashable, Sendable {
  package var transactions = 0
  /// Of the receiver's stream.
  package var bytes = 0
  package var notAcknowledged = 0
  package var timedOut = 0
  package var arbitrationLost = 0
  package var otherFaults = 0
  /// Counts that were none: of a floating bus, beyond the receiver's buffer, or with nothing behind them.
  package var phantomCounts = 0
  /// Times that the receiver was not read for longer than the 1.5 s after which it stops its stream.
  package var latePolls = 0

  /// What went wrong, by its cause in a word; nothing that never did.
  var causes: [String: Int] {
    [
      "i2c-no-answer": notAcknowledged, "i2c-timeout": timedOut, "i2c-arbitration": arbitrationLost,
      "i2c-other": otherFaults, "i2c-phantom-count": phantomCounts, "i2c-late-poll": latePolls,
    ].filter { $0.value > 0 }
  }

  mutating func count(_ fault: I2CFault) {
    switch fault {
    case .notAcknowledged: notAcknowledged += 1
    case .timedOut: timedOut += 1
    case .arbitrationLost: arbitrationLost += 1
    case .busGone, .unsupported, .other: otherFaults += 1
    }
  }
}

/// When to read and write what on the bus: a value that is told the time and the outcome of each transaction.
///
/// A transaction that fails is tried again after 10 ms, and after twice as long each time, but at most half a second: a
/// u-blox receiver that is not read for 1.5 s stops its stream.
struct I2CPolling: Sendable {
  enum Action: Hashable, Sendable {
    case wait(until: MonotonicInstant)
    case perform(I2CTransaction)
    /// The receiver has not answered for so long that it is gone.
    case giveUp(I2CFault)
  }

  private enum Transaction {
    case read
    case write([UInt8])
  }

  private enum Dialect: Sendable {
    case ddc(DDCStream)
    case padded(PaddedBuffer)
  }

  /// How long transactions fail until a receiver is gone, and until it is taken for never having been there.
  static let patience = Duration.seconds(5)
  static let patienceAtFirst = Duration.seconds(1)
  static let longestBackOff = Duration.milliseconds(500)
  private static let shortestBackOff = Duration.milliseconds(10)
  /// Between reads and between writes of a padded buffer.
  static let readPause = Duration.milliseconds(2)
  static let writePause = Duration.milliseconds(10)
  private static let streamStops = Duration.milliseconds(1500)

  private(set) var statistics = I2CStatistics()
  private var dialect: Dialect
  private let capacity: Int
  private var rhythm = NavigationRhythm()
  private var outgoing: [UInt8] = []
  private var current = Transaction.read
  private var nextRead: MonotonicInstant
  private var nextWrite: MonotonicInstant
  private var lastRead: MonotonicInstant?
  private var foundData = false
  private var backOff = I2CPolling.shortestBackOff
  private var retryAt: MonotonicInstant?
  private var failingSince: MonotonicInstant?
  private var lastFault = I2CFault.other

  init(_ dialect: I2CDialect, capacity: Int, at now: MonotonicInstant) {
    self.capacity = capacity
    self.dialect =
      switch dialect {
      case .ddc: .ddc(DDCStream(capacity: capacity))
      case .paddedBuffer: .padded(PaddedBuffer())
      }
    nextRead = now
    nextWrite = now
  }

  /// Bytes for the receiver, to be written as soon as the bus is free. A single byte would be taken for a register: at
  /// least 2.
  mutating func send(_ bytes: [UInt8]) {
    outgoing += bytes
  }

  private var patience: Duration {
    statistics.transactions == 0 ? I2CPolling.patienceAtFirst : I2CPolling.patience
  }

  mutating func next(at now: MonotonicInstant) -> Action {
    if let failingSince, now - failingSince >= patience || lastFault == .busGone { return .giveUp(lastFault) }
    if let retryAt, now < retryAt { return .wait(until: retryAt) }
    if !outgoing.isEmpty, now >= nextWrite {
      let piece = nextPiece()
      current = .write(piece)
      return .perform(.transfer(write: piece, readCount: 0))
    }
    if now >= nextRead {
      current = .read
      switch dialect {
      case .ddc(let stream): return .perform(stream.read)
      case .padded: return .perform(.transfer(write: [], readCount: min(PaddedBuffer.size, capacity)))
      }
    }
    return .wait(until: outgoing.isEmpty ? nextRead : min(nextRead, nextWrite))
  }

  /// A transaction was made. The receiver's stream out of what was read.
  mutating func succeeded(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
    statistics.transactions += 1
    failingSince = nil
    retryAt = nil
    backOff = I2CPolling.shortestBackOff
    switch current {
    case .write(let piece):
      outgoing.removeFirst(piece.count)
      nextWrite = now + I2CPolling.writePause
      return []
    case .read:
      if let lastRead, now - lastRead > I2CPolling.streamStops { statistics.latePolls += 1 }
      lastRead = now
      let stream = read(bytes)
      statistics.bytes += stream.count
      if !stream.isEmpty { foundData = true }
      plan(at: now)
      return stream
    }
  }

  mutating func failed(_ fault: I2CFault, at now: MonotonicInstant) {
    // Before its first answer it may not be there yet, or not have power: that is no fault of the bus.
    if statistics.transactions > 0 || fault != .notAcknowledged { statistics.count(fault) }
    lastFault = fault
    failingSince = failingSince ?? now
    switch dialect {
    case .ddc(var stream):
      stream.failed()
      dialect = .ddc(stream)
    case .padded(var buffer):
      buffer.failed()
      dialect = .padded(buffer)
    }
    retryAt = now + backOff
    backOff = min(backOff * 2, I2CPolling.longestBackOff)
  }

  private mutating func read(_ bytes: [UInt8]) -> [UInt8] {
    switch dialect {
    case .ddc(var stream):
      let data = stream.received(bytes)
      statistics.phantomCounts = stream.phantomCounts
      dialect = .ddc(stream)
      return data
    case .padded(var buffer):
      let data = buffer.received(bytes)
      dialect = .padded(buffer)
      return data
    }
  }

  /// What is there is read at once; then the receiver is left alone for a while.
  private mutating func plan(at now: MonotonicInstant) {
    switch dialect {
    case .ddc(let stream) where stream.hasMore: nextRead = now
    case .padded(let buffer) where buffer.hasMore: nextRead = now + I2CPolling.readPause
    case .ddc, .padded:
      rhythm.polled(foundData: foundData, at: now)
      foundData = false
      nextRead = now + rhythm.interval
    }
  }

  /// At most what an adapter writes at once, and never a last byte alone.
  private func nextPiece() -> [UInt8] {
    let longest = min(PaddedBuffer.size, capacity)
    if outgoing.count <= longest { return outgoing }
    return Array(outgoing.prefix(outgoing.count == longest + 1 ? longest - 1 : longest))
  }
}
