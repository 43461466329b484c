import Configuration
import LineProtocol
import Testing

@testable import Features

@Suite struct DisplayFeatureTests {
  @Test(arguments: [
    ("", DisplayModule(bus: "/dev/i2c-1")),
    ("address = \"0x3D\"", DisplayModule(bus: "/dev/i2c-1", address: 0x3D)),
    ("controller = \"sh1106\"", DisplayModule(bus: "/dev/i2c-1", controller: .sh1106)),
    ("size = \"128x32\"\nrotated = true", DisplayModule(bus: "/dev/i2c-1", height: 32, isRotated: true)),
  ])
  func `a table has the bus, the address, the controller, the size and the direction`(
    keys: String, module: DisplayModule
  ) throws {
    let feature: DisplayFeature = try #require(try read("[display]\nbus = \"/dev/i2c-1\"\n\(keys)"))
    #expect(feature.display == module && "\(feature.location)" == "onefix.toml:2")
  }

  static let invalid = """
    → 1: [display] needs 'bus'
    bus = "/dev/i2c-1" | address = "0x42" → 3: 'address' in [display] is '0x42', but must be "0x3C" or "0x3D"
    bus = "/dev/i2c-1" | size = "64x48" → 3: 'size' in [display] is '64x48', but must be "128x64" or "128x32"
    bus = "/dev/i2c-1" | controller = "sh1106" | size = "128x32" \
      → 4: 'size' in [display] is 128x32, but a module with the controller sh1106 has 128x64 pixels
    """

  // MARK: The machine

  private func subject(_ receiver: String) throws -> Subject {
    let text = "[display]\nbus = \"/dev/i2c-1\"\naddress = \"0x3C\"\n"
    return try FeatureTests.subject(of: text, [DisplayFeature.self], receiver: receiver)
  }

  private func brief(_ findings: [Finding]) -> [String] {
    FeatureTests.brief(findings.filter { $0.code.hasPrefix("display-") })
  }

  @Test(arguments: [
    ("uart:/dev/ttyAMA0", []), ("i2c:/dev/i2c-3:0x3C", []), ("i2c:/dev/i2c-7:0x42", []),
    ("i2c:/dev/i2c-1:0x3C", ["error display-address onefix.toml:2"]),
    ("i2c:/dev/i2c-1:0x42", ["warning display-shared onefix.toml:2"]),
    ("i2c:/dev/i2c-arm:0x3C", ["error display-address onefix.toml:2"]),
    ("i2c:/dev/i2c-arm:0x42", ["warning display-shared onefix.toml:2"]),
  ])
  func `a receiver on the bus of the display, under any name, is reported once, and the same address is an error`(
    receiver: String, expected: [String]
  ) throws {
    let subject = try subject(receiver)
    // The configuration alone does not show another name of the bus.
    #expect(brief(subject.configurationFindings) == (receiver.contains("arm") ? [] : expected))
    var machine = machine()
    for path in ["/dev/i2c-1", "/dev/i2c-arm"] { machine.files[path] = DeviceFile(path: "/dev/i2c-1", mode: 0o660) }
    #expect(brief(subject.configurationFindings + subject.findings(on: machine)) == expected)
    // The daemon logs the problem when it starts.
    #expect(brief(subject.warnings(on: machine)) == expected)
  }

  @Test func `a bus that does not exist, or is no bus, is reported with a remedy`() throws {
    for file in [nil, DeviceFile(path: "/dev/i2c-1", kind: .other)] {
      let machine = machine { $0.files["/dev/i2c-1"] = file }
      let found = try subject("uart:/dev/ttyAMA0").findings(on: machine).filter { $0.code.hasPrefix("display-") }
      #expect(brief(found) == ["warning display-bus onefix.toml:2"] && found.first?.remedy != nil)
      #expect(found.first?.repairs.contains(.module("i2c-dev")) == (file == nil))
    }
  }
}
