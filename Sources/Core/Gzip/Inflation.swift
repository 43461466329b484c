import CZlib

/// The state of zlib while it decompresses a gzip file. The file is a sequence of members. Each member is compressed
/// separately. (RFC 1952)
@safe struct Inflation: ~Copyable {
  /// The result of one step of the decompression.
  struct Step {
    /// The number of compressed bytes that the step consumed.
    var consumed = 0
    /// The number of decompressed bytes that the step produced.
    var produced = 0
    /// Whether the compressed data has ended. The bytes after its last member are not gzip.
    var isOver = false
    var error: GzipError?
  }

  /// The state is on the heap, because zlib stores a pointer to it.
  private let stream: UnsafeMutablePointer<z_stream>

  /// Creates the state. Returns nil if there is not enough memory.
  init?() {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    // The value 15 selects the largest window of zlib. The addition of 16 tells zlib to accept only the format gzip.
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

  /// Whether all members so far are complete. In this case the file may end at this point.
  var isBetweenMembers: Bool { unsafe stream.pointee.total_in < 2 && isLater }
  private var isLater = false

  /// Decompresses bytes until the input is consumed or the output is full.
  mutating func step(_ input: inout [UInt8], _ range: Range<Int>, into output: inout [UInt8]) -> Step {
    var step = Step()
    // The loop runs at least once, even without input, because zlib may hold output of the previous step.
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
      // A file has several members if it was created by joining several compressed logs.
      isLater = true
      if unsafe inflateReset(stream) != Z_OK { step.error = .damaged }
    // If the bytes after a member do not begin another member, they are padding. The program gzip also ignores such
    // bytes.
    case Z_DATA_ERROR where isLater && (unsafe stream.pointee.total_in <= 2): step.isOver = true
    case Z_MEM_ERROR: step.error = .noMemory
    default: step.error = .damaged
    }
  }
}
