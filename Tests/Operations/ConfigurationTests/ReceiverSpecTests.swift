import Hardware
import Testing

@testable import Configuration

@Test(arguments: [
  ("simulated", ReceiverSpec.simulated()),
  ("simulated:cold", .simulated(isCold: true)),
  ("simulated:seed=42", .simulated(seed: 42)),
  ("simulated:seed=7,rate=1", .simulated(seed: 7, rate: 1)), ("simulated:rate=25", .simulated(rate: 25)),
  ("simulated:cold,seed=18446744073709551615", .simulated(isCold: true, seed: .max)),
  ("replay:log.nmea", .replay(file: "log.nmea")),
  ("replay:log.nmea@2", .replay(file: "log.nmea", speed: .times(2))),
  ("replay:log.nmea@2.5", .replay(file: "log.nmea", speed: .times(2.5))),
  ("replay:/a@b:c/log@10@max", .replay(file: "/a@b:c/log@10", speed: .unlimited)),
  ("replay:log@home", .replay(file: "log@home")), ("replay:log@-", .replay(file: "log@-")),
  ("replay:log@", .replay(file: "log@")), ("replay:log@0.001", .replay(file: "log", speed: .times(0.001))),
  ("replay:log@+100000", .replay(file: "log", speed: .times(100_000))),
  ("replay:log@2@1", .replay(file: "log@2")),
  ("replay:/tmp/日誌.nmea", .replay(file: "/tmp/日誌.nmea")),
  ("uart:/dev/ttyS0", .uart(path: "/dev/ttyS0")),
  ("uart:/dev/ttyAMA0:9600", .uart(path: "/dev/ttyAMA0", baud: 9600)),
  (
    "uart:/dev/serial/by-path/pci-0000:01:00.0-usb-0:1.4:1.0",
    .uart(path: "/dev/serial/by-path/pci-0000:01:00.0-usb-0:1.4:1.0")
  ),
  ("uart:/dev/serial/by-path/pci-0:1.0:921600", .uart(path: "/dev/serial/by-path/pci-0:1.0", baud: 921_600)),
  ("i2c:/dev/i2c-1", .i2c(path: "/dev/i2c-1")), ("i2c:/dev/i2c-20:0x42", .i2c(path: "/dev/i2c-20")),
  ("i2c:/dev/i2c-1:0x10", .i2c(path: "/dev/i2c-1", address: 0x10)),
  ("i2c:/dev/i2c-1:0x08", .i2c(path: "/dev/i2c-1", address: 8)),
  ("i2c:/dev/i2c-1:0x77", .i2c(path: "/dev/i2c-1", address: 119)),
  ("gpsd", .gpsd()), ("gpsd:boat.local", .gpsd(host: "boat.local")),
  ("gpsd:10.0.0.7:3000", .gpsd(host: "10.0.0.7", port: 3000)),
  ("gpsd:::1", .gpsd(host: "::1")), ("gpsd:[::1]", .gpsd(host: "::1")),
  ("gpsd:[fe80::1]:1", .gpsd(host: "fe80::1", port: 1)), ("gpsd:boat:65535", .gpsd(host: "boat", port: 65_535)),
])
func `a receiver is parsed from its specification and printed as one`(text: String, spec: ReceiverSpec) throws {
  #expect(try ReceiverSpec(text) == spec && ReceiverSpec(spec.description) == spec)
}

@Test(arguments: [
  ("replay:log@1", "replay:log"), ("replay:log@2.0", "replay:log@2.0"), ("gpsd:::1", "gpsd:[::1]:2947"),
])
func `a receiver is printed in the shortest form that can be parsed`(text: String, printed: String) throws {
  #expect(try ReceiverSpec(text).description == printed)
}

private let addressForm = "(0x08 to 0x77, as i2cdetect shows it; form: i2c:/dev/i2c-N[:0xADDRESS])"

@Test(arguments: [
  ("unknown kind of receiver (use one of: \(ReceiverSpec.forms))", ["", "ntrip", "Simulated"]),
  (
    "the options of a simulated receiver are 'cold', 'seed=N' and 'rate=HZ' (1...25), each once",
    [
      "simulated:", "simulated:rate=0", "simulated:rate=26", "simulated:rate=1,rate=1", "simulated:hot",
      "simulated:cold,cold", "simulated:seed=-1", "simulated:seed=", "simulated:seed=1,seed=1",
      "simulated:seed=18446744073709551616",
    ]
  ),
  ("the file is missing (form: replay:FILE[@SPEED|@max])", ["replay", "replay:@max"]),
  ("the speed must be 0.001...100000 or 'max', not '0'", ["replay:log@0"]),
  ("the speed must be 0.001...100000 or 'max', not '0.0000000001'", ["replay:log@0.0000000001"]),
  ("the speed must be 0.001...100000 or 'max', not '100001'", ["replay:log@100001"]),
  ("the speed must be 0.001...100000 or 'max', not '-2'", ["replay:log@-2"]),
  ("the speed must be 0.001...100000 or 'max', not '1.2.3'", ["replay:log@1.2.3"]),
  ("the port is missing (form: uart:PATH[:BAUD])", ["uart:", "uart::9600"]),
  ("the bus is missing (form: i2c:/dev/i2c-N[:0xADDRESS])", ["i2c", "i2c::0x42"]),
  ("invalid address '42' \(addressForm)", ["i2c:/dev/i2c-1:42"]),
  ("invalid address '0x78' \(addressForm)", ["i2c:/dev/i2c-1:0x78"]),
  ("invalid address '0x07' \(addressForm)", ["i2c:/dev/i2c-1:0x07"]),
  ("invalid address '0x+9' \(addressForm)", ["i2c:/dev/i2c-1:0x+9"]),
  ("the host is missing (form: gpsd[:HOST[:PORT]])", ["gpsd:", "gpsd::2947", "gpsd:[]", "gpsd:[::1]3000"]),
  ("invalid port '0' (1...65535)", ["gpsd:host:0"]), ("invalid port 'x' (1...65535)", ["gpsd:host:x"]),
  ("invalid port '65536' (1...65535)", ["gpsd:[::1]:65536"]),
  (
    "unsupported baud rate 9601 (rates: 4800 9600 19200 38400 57600 115200 230400 460800 921600)",
    ["uart:/dev/ttyS0:9601"]
  ),
])
func `an invalid specification is refused with the valid forms`(cause: String, texts: [String]) {
  for text in texts {
    let error = #expect(throws: ReceiverSpecError.self) { try ReceiverSpec(text) }
    #expect(error?.cause == cause && error?.description == "cannot use the receiver '\(text)': \(cause)")
  }
}

@Test func `only real receivers give the device's position`() {
  let receivers: [ReceiverSpec] = [
    .uart(path: "/dev/ttyS0"), .i2c(path: "/dev/i2c-1"), .gpsd(), .simulated(), .replay(file: "log"),
  ]
  #expect(receivers.map(\.isLive) == [true, true, true, false, false])
}

@Test func `every supported baud rate is accepted`() throws {
  for rate in SerialSpeed.all {
    #expect(try ReceiverSpec("uart:/dev/ttyS0:\(rate)") == .uart(path: "/dev/ttyS0", baud: rate))
  }
}
