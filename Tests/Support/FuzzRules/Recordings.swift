/// Checks the replay of a recording: the replay sends all bytes in order and without long waits, and the size of the reads
/// makes no difference.
/// - Parameter chunk: The bytes of one read, 1 or more.
public func recordingHolds(_ bytes: [UInt8], chunk: Int) {
  let whole = groups(bytes, chunk: .max / 2)
  for chunk in [1, chunk] {
    let parts = groups(bytes, chunk: chunk)
    precondition(parts.flatMap(\.bytes) == bytes)
    // A group that is larger than the capacity is sent in parts.
    if bytes.count <= ReplaySchedule.groupCapacity { precondition(parts == whole) }
  }
}

private func groups(_ bytes: [UInt8], chunk: Int) -> [ReplaySchedule.Group] {
  var schedule = ReplaySchedule()
  var groups = pieces(of: bytes, length: chunk).flatMap { schedule.accept($0) }
  groups += schedule.finish()
  for group in groups { precondition((.zero...ReplaySchedule.longestWait).contains(group.wait)) }
  return groups
}
