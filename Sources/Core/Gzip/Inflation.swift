import CZlib

/// The state of zlib for one gzip file. The file is a sequence of members that are compressed separately. (RFC 1952)
@safe struct Inflation: ~Copyable {
  struct Step {
    var consumed = 0
    var produced = 0
    /// Whether the compressed data has ended. The bytes after the last member are not gzip.
    var isOver = false
    var error: GzipError?
  }

  /// The state is on the heap, because zlib stores a pointer to it.
  private let stream: UnsafeMutablePointer<z_stream>

  /// Creates the state. Returns nil if there is not enough memory.
  init?() {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    // 15 selects the largest window of zlib. The added 16 makes zlib accept only gzip.
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

  /// Whether all members so far are complete, so that the file may end here.
  var isBetweenMembers: Bool { unsafe stream.pointee.total_in < 2 && isLater }
  private var isLater = false

  /// Decompresses bytes until the input is consumed or the output is full.
  mutating func step(_ input: inout [UInt8], _ range: Range<Int>, into output: inout [UInt8]) -> Step {
    var step = Step()
    // The loop runs at least once, because zlib may hold output of the previous step.
    repeat {
      advance(&input, range, &output, &step)
    } while step.consumed < range.count && step.produced < output.count && !step.isOver && step.error == nil
    return step
  }

  private mutating func advance(
    _ input: inout [UInt8], _ range: Range<Int>, _ output: inout [UInt8], _ step: inout Step
  ) {
    let offered = range.count - step.consumed
    let room = output.count - step.produced
    let result = unsafe input.withUnsafeMutableBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { output in
        // Both counts stay within the buffers, and the buffers do not move during the call.
        unsafe stream.pointee.next_in = input.baseAddress.map { unsafe $0 + range.lowerBound + step.consumed }
        unsafe stream.pointee.avail_in = UInt32(offered)
        unsafe stream.pointee.next_out = output.baseAddress.map { unsafe $0 + step.produced }
        unsafe stream.pointee.avail_out = UInt32(room)
        return unsafe inflate(stream, Z_NO_FLUSH)
      }
    }
    step.consumed += offered - Int(unsafe stream.pointee.avail_in)
    step.produced += room - Int(unsafe stream.pointee.avail_out)
    switch result {
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END:
      // A file has several members if it was joined from several compressed logs.
      isLater = true
      if unsafe inflateReset(stream) != Z_OK { step.error = .damaged }
    // Bytes after a member that do not begin another member are padding. The program gzip also ignores them.
    case Z_DATA_ERROR where isLater && (unsafe stream.pointee.total_in <= 2): step.isOver = true
    case Z_MEM_ERROR: step.error = .noMemory
    default: step.error = .damaged
    }
  }
}
