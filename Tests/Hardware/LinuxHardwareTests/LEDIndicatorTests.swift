import Foundation
import Hardware
import Testing

@testable import LinuxHardware

/// A directory with the structure of the kernel's LEDs.
private final class LEDs {
  let root: String

  init(_ leds: [String: Int]) throws {
    root = NSTemporaryDirectory() + "onefix-leds-\(UUID().uuidString)"
    for (name, range) in leds {
      try FileManager.default.createDirectory(atPath: "\(root)/\(name)", withIntermediateDirectories: true)
      for (file, text) in ["max_brightness": "\(range)\n", "brightness": "7", "trigger": "none [heartbeat]"] {
        try text.write(toFile: "\(root)/\(name)/\(file)", atomically: false, encoding: .utf8)
      }
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  func brightness(_ name: String) throws -> Int? {
    // Unlike a write to the kernel's file, a write to this one does not truncate it.
    Int(try String(contentsOfFile: "\(root)/\(name)/brightness", encoding: .utf8).prefix { $0.isNumber })
  }
}

@Test func `an LED of the kernel is dark at first, without a trigger, and has the configured brightness`() throws {
  let leds = try LEDs(["blue": 255])
  var profile = IndicatorProfile()
  profile.brightness = 0.5
  let indicator = try LEDIndicator(names: ["blue"], profile: profile, sense: nil, root: leds.root)
  #expect(try leds.brightness("blue") == 0)
  #expect(try String(contentsOfFile: "\(leds.root)/blue/trigger", encoding: .utf8).hasPrefix("none"))
  try indicator.drive(true)
  #expect(try leds.brightness("blue") == 128)
  #expect(try indicator.sense() == nil)
}

@Test func `three LEDs mix the configured colour`() throws {
  let leds = try LEDs(["r": 100, "g": 100, "b": 200])
  var profile = IndicatorProfile()
  profile.colour = try #require(Colour("#80ff00"))
  let indicator = try LEDIndicator(names: ["r", "g", "b"], profile: profile, sense: nil, root: leds.root)
  try indicator.drive(true)
  #expect(try leds.brightness("r") == 50)
  #expect(try leds.brightness("g") == 100)
  #expect(try leds.brightness("b") == 0)
}

@Test func `a lit LED has at least one step of brightness`() throws {
  let leds = try LEDs(["on-off": 1])
  var profile = IndicatorProfile()
  profile.brightness = 0.25
  let indicator = try LEDIndicator(names: ["on-off"], profile: profile, sense: nil, root: leds.root)
  try indicator.drive(true)
  #expect(try leds.brightness("on-off") == 1)
}

@Test func `a missing or removed LED is an error with a remedy`() throws {
  let leds = try LEDs(["blue": 255])
  let missing = try #require(throws: HardwareError.self) {
    try LEDIndicator(names: ["green"], profile: IndicatorProfile(), sense: nil, root: leds.root)
  }
  #expect(missing.kind == .absent && missing.remedy?.contains("/sys/class/leds") == true)
  let indicator = try LEDIndicator(names: ["blue"], profile: IndicatorProfile(), sense: nil, root: leds.root)
  try FileManager.default.removeItem(atPath: leds.root)
  #expect(throws: HardwareError.self) { try indicator.drive(true) }
}
