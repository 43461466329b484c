import CZlib

/// zlib's state while it reads gzip'd bytes. (RFC 1952: one member after another)
@safe struct Inflation: ~Copyable {
  /// What one step did.
  struct Step {
    /// Bytes taken from the compressed ones.
    var taken = 0
    /// Bytes that came out.
    var made = 0
    /// Nothing comes any more: what follows the last member is no gzip.
    var isOver = false
    var error: GzipError?
  }

  /// On the heap: zlib's state points back at it.
  private let stream: UnsafeMutablePointer<z_stream>

  /// Nil where there is no memory.
  init?() {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    // 15 is the largest window, 16 more says that it is gzip and nothing else.
    let result = unsafe inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard result == Z_OK else {
      unsafe stream.deallocate()
      return nil
    }
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Whether the bytes so far are whole members: the file may end here.
  var isBetweenMembers: Bool { unsafe stream.pointee.total_in < 2 && isLater }
  private var isLater = false

  /// Takes compressed bytes, at most until the output is full.
  mutating func step(_ input: inout [UInt8], _ range: Range<Int>, into output: inout [UInt8]) -> Step {
    var step = Step()
    // At least once, even without input: zlib may hold what the output had no room for.
    repeat {
      advance(&input, range, &output, &step)
    } while step.taken < range.count && step.made < output.count && !step.isOver && step.error == nil
    return step
  }

  private mutating func advance(
    _ input: inout [UInt8], _ range: Range<Int>, _ output: inout [UInt8], _ step: inout Step
  ) {
    let offered = range.count - step.taken
    let room = output.count - step.made
    let result = unsafe input.withUnsafeMutableBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { output in
        // Both counts are what is left of the buffers, which stay where they are for the call.
        unsafe stream.pointee.next_in = input.baseAddress.map { unsafe $0 + range.lowerBound + step.taken }
        unsafe stream.pointee.avail_in = UInt32(offered)
        unsafe stream.pointee.next_out = output.baseAddress.map { unsafe $0 + step.made }
        unsafe stream.pointee.avail_out = UInt32(room)
        return unsafe inflate(stream, Z_NO_FLUSH)
      }
    }
    step.taken += offered - Int(unsafe stream.pointee.avail_in)
    step.made += room - Int(unsafe stream.pointee.avail_out)
    switch result {
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END:
      // Logs that are rotated and joined have several.
      isLater = true
      if unsafe inflateReset(stream) != Z_OK { step.error = .damaged }
    // After a member, what does not begin like one is filling, and no damage: gzip ignores it too.
    case Z_DATA_ERROR where isLater && (unsafe stream.pointee.total_in <= 2): step.isOver = true
    case Z_MEM_ERROR: step.error = .noMemory
    default: step.error = .damaged
    }
  }
}
