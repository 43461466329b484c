import FuzzRules

private func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
  Array(UnsafeBufferPointer(start: start, count: count))
}

/// Splits the input: the last byte selects how the other bytes are tested.
private func parts(_ start: UnsafePointer<UInt8>?, _ count: Int) -> (bytes: [UInt8], choice: UInt8)? {
  var bytes = bytes(start, count)
  guard let choice = bytes.popLast() else { return nil }
  return (bytes, choice)
}

@_cdecl("fuzz_toml")
public func fuzzTOML(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  configurationHolds(bytes(start, count))
  return 0
}

@_cdecl("fuzz_requests")
public func fuzzRequests(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  requestHolds(bytes(start, count))
  return 0
}

@_cdecl("fuzz_replay")
public func fuzzReplay(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let (given, choice) = parts(start, count) else { return 0 }
  var bytes = given
  if choice & 1 == 0 { mend(&bytes) }
  recordingHolds(bytes, chunk: 1 + Int(choice >> 1))
  return 0
}

@_cdecl("fuzz_gpsd_reports")
public func fuzzGPSDReports(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let (bytes, choice) = parts(start, count) else { return 0 }
  reportsHold(bytes, chunk: 1 + Int(choice), check: check)
  return 0
}

@_cdecl("fuzz_console")
public func fuzzConsole(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let (bytes, choice) = parts(start, count) else { return 0 }
  terminalHolds(bytes, choice: choice)
  return 0
}
