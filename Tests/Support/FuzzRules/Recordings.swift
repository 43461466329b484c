import Gzip

/// Checks the replay of a recording: the replay sends all bytes of a plain or compressed file in order and without long waits,
/// and the size of the reads makes no difference.
/// - Parameter chunk: The bytes of one read, 1 or more.
public func recordingHolds(_ bytes: [UInt8], chunk: Int) {
  let (plain, end) = read(bytes, fetching: .max / 2, into: 16_384)
  for (fetched, room) in [(1, 16_384), (chunk, chunk), (.max / 2, 1 + chunk / 4)] {
    let (others, otherEnd) = read(bytes, fetching: fetched, into: room)
    precondition(others == plain && otherEnd == end)
  }
  if !bytes.starts(with: [0x1F, 0x8B]) { precondition(plain == bytes && end == .end) }
  let whole = groups(plain, chunk: .max / 2)
  for chunk in [1, chunk] {
    let parts = groups(plain, chunk: chunk)
    precondition(parts.flatMap(\.bytes) == plain)
    // A group that is larger than the capacity is sent in parts.
    if plain.count <= ReplaySchedule.groupCapacity { precondition(parts == whole) }
  }
}

/// The largest number of plain bytes to read. A small gzip file can expand to gigabytes.
private let most = 1 << 18

private func read(_ bytes: [UInt8], fetching chunk: Int, into room: Int) -> ([UInt8], PlainReader.Arrival?) {
  var reader = PlainReader()
  var position = 0
  var plain: [UInt8] = []
  // The reader needs two bytes to recognise gzip.
  var buffer = [UInt8](repeating: 0, count: max(2, room))
  while plain.count < most {
    let arrival = reader.read(into: &buffer) { (buffer: inout [UInt8], offset) throws(Never) in
      let count = min(chunk, buffer.count - offset, bytes.count - position)
      buffer.replaceSubrange(offset..<offset + count, with: bytes[position..<position + count])
      position += count
      return .bytes(count)
    }
    switch arrival {
    case .bytes(let count):
      precondition(count > 0 && count <= buffer.count)
      plain += buffer[..<count]
    case .nothing: preconditionFailure()
    case .end, .damage: return (plain, arrival)
    }
  }
  return (Array(plain[..<most]), nil)
}

private func groups(_ bytes: [UInt8], chunk: Int) -> [ReplaySchedule.Group] {
  var schedule = ReplaySchedule()
  var groups: [ReplaySchedule.Group] = []
  var begin = 0
  while begin < bytes.count {
    let end = begin + min(chunk, bytes.count - begin)
    groups += schedule.accept(bytes[begin..<end])
    begin = end
  }
  groups += schedule.finish()
  for group in groups { precondition((.zero...ReplaySchedule.longestWait).contains(group.wait)) }
  return groups
}
