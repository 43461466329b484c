import Base

/// An I2C protocol with which a receiver offers its data.
package enum I2CDialect: Hashable, Sendable {
  /// The protocol of u-blox receivers, usually at the address 0x42: a count of available bytes, and a data stream.
  case ddc
  /// The protocol of MediaTek receivers, usually at the address 0x10: a buffer of constant size. Line feeds fill the
  /// buffer when there is no data.
  case paddedBuffer

  /// Creates the protocol that receivers at an I2C address usually use.
  package init(address: UInt16) {
    self = address == 0x10 ? .paddedBuffer : .ddc
  }
}

/// The statistics of an I2C port since the port was opened: counts of transactions, bytes and faults.
package struct I2CStatistics: Hashable, Sendable {
  package var transactions = 0
  /// The count of bytes that the receiver has sent.
  package var bytes = 0
  package var notAcknowledged = 0
  package var timedOut = 0
  package var arbitrationLost = 0
  package var otherFaults = 0
  /// How often a u-blox receiver reported an invalid number of available bytes.
  ///
  /// A number is invalid if no device drives the bus, if the number exceeds the receiver's buffer, or if no data
  /// follows.
  package var phantomCounts = 0
  /// The count of reads that began more than 1.5 s after the previous read. A u-blox receiver stops sending if its data
  /// is not read for 1.5 s.
  package var latePolls = 0

  /// The counts of faults. The key is the name of the fault, for example `i2c-timeout`. The dictionary contains only
  /// faults that have occurred.
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

/// A scheduler for the transactions with a receiver on an I2C bus. The scheduler has no clock: the caller passes the
/// time and the result of each transaction.
///
/// A failed transaction is repeated after 10 ms. The delay doubles with each further failure, up to 500 ms. The limit
/// is necessary because a u-blox receiver stops sending if its data is not read for 1.5 s.
struct I2CPolling: Sendable {
  enum Action: Hashable, Sendable {
    case wait(until: MonotonicInstant)
    case perform(I2CTransaction)
    /// The receiver has not answered for too long. The caller must close the port. The value is the fault of the latest
    /// transaction.
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

  /// The time after which a receiver that has answered before counts as absent, if every transaction fails.
  static let failureTimeout = Duration.seconds(5)
  /// The time after which a receiver that has never answered counts as absent, if every transaction fails.
  static let firstFailureTimeout = Duration.seconds(1)
  private static let backoff = Backoff(first: .milliseconds(10), longest: .milliseconds(500))
  static let readPause = Duration.milliseconds(2)
  static let writePause = Duration.milliseconds(10)
  private static let streamTimeout = Duration.milliseconds(1500)

  private(set) var statistics = I2CStatistics()
  private var dialect: Dialect
  private let capacity: Int
  private var epochPeriod = EpochPeriodEstimator()
  private var outgoing: [UInt8] = []
  private var current = Transaction.read
  private var nextRead: MonotonicInstant
  private var nextWrite: MonotonicInstant
  private var lastRead: MonotonicInstant?
  private var foundData = false
  /// The count of failed transactions since the latest successful transaction.
  private var failures = 0
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

  /// Adds at least two bytes for the receiver to the output queue. The receiver would treat a single byte as a register
  /// address.
  mutating func send(_ bytes: [UInt8]) {
    outgoing += bytes
  }

  private var failureTimeout: Duration {
    statistics.transactions == 0 ? I2CPolling.firstFailureTimeout : I2CPolling.failureTimeout
  }

  mutating func next(at now: MonotonicInstant) -> Action {
    if let failingSince, now - failingSince >= failureTimeout || lastFault == .busGone { return .giveUp(lastFault) }
    if let retryAt, now < retryAt { return .wait(until: retryAt) }
    if !outgoing.isEmpty, now >= nextWrite {
      let piece = nextWriteBytes()
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

  /// Records a successful transaction. Returns the data that the receiver has sent.
  mutating func succeeded(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
    statistics.transactions += 1
    failingSince = nil
    retryAt = nil
    failures = 0
    switch current {
    case .write(let piece):
      outgoing.removeFirst(piece.count)
      nextWrite = now + I2CPolling.writePause
      return []
    case .read:
      if let lastRead, now - lastRead > I2CPolling.streamTimeout { statistics.latePolls += 1 }
      lastRead = now
      let stream = read(bytes)
      statistics.bytes += stream.count
      if !stream.isEmpty { foundData = true }
      scheduleRead(at: now)
      return stream
    }
  }

  mutating func failed(_ fault: I2CFault, at now: MonotonicInstant) {
    // A receiver that has never answered may be absent or without power, which is not a fault of the bus.
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
    retryAt = now + I2CPolling.backoff.maximumDelay(after: failures)
    failures += 1
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

  /// Schedules the next read: immediately if more data is available, otherwise after a pause.
  private mutating func scheduleRead(at now: MonotonicInstant) {
    switch dialect {
    case .ddc(let stream) where stream.hasMore: nextRead = now
    case .padded(let buffer) where buffer.hasMore: nextRead = now + I2CPolling.readPause
    case .ddc, .padded:
      epochPeriod.record(foundData: foundData, at: now)
      foundData = false
      nextRead = now + epochPeriod.interval
    }
  }

  /// Returns the next bytes to write, at most as many as the I2C adapter can send. The function never leaves a single
  /// byte for the last write, because the receiver would treat a single byte as a register address.
  private func nextWriteBytes() -> [UInt8] {
    let longest = min(PaddedBuffer.size, capacity)
    if outgoing.count <= longest { return outgoing }
    return Array(outgoing.prefix(outgoing.count == longest + 1 ? longest - 1 : longest))
  }
}
