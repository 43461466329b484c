import Foundation
import Hardware
import TemporaryFiles
import Testing

@testable import LinuxHardware

/// A directory with the structure of the kernel's LEDs.
private struct LEDs {
  let directory: TemporaryDirectory

  init(_ leds: [String: Int]) throws {
    directory = try TemporaryDirectory()
    for (name, range) in leds {
      for (file, text) in ["max_brightness": "\(range)\n", "brightness": "7", "trigger": "none [heartbeat]"] {
        try directory.write(text, to: "\(name)/\(file)")
      }
    }
  }

  func text(_ file: String) -> String { String(decoding: directory.read(file) ?? [], as: UTF8.self) }

  func brightness(_ name: String) -> Int? {
    // Unlike a write to the kernel's file, a write to this one does not truncate it.
    Int(text("\(name)/brightness").prefix { $0.isNumber })
  }

  func indicator(_ names: String..., change: (inout IndicatorProfile) -> Void = { _ in }) throws -> LEDIndicator {
    var profile = IndicatorProfile()
    change(&profile)
    return try LEDIndicator(names: names, profile: profile, sense: nil, root: directory.path)
  }
}

@Test func `an LED of the kernel is dark at first, without a trigger, and has the configured brightness`() throws {
  let leds = try LEDs(["blue": 255])
  let indicator = try leds.indicator("blue") { $0.brightness = 0.5 }
  #expect(leds.brightness("blue") == 0)
  #expect(leds.text("blue/trigger").hasPrefix("none"))
  try indicator.drive(true)
  #expect(leds.brightness("blue") == 128)
  #expect(try indicator.sense() == nil)
}

@Test func `three LEDs mix the configured colour, and a lit LED has at least one step of brightness`() throws {
  let leds = try LEDs(["r": 100, "g": 100, "b": 200, "on-off": 1])
  let colour = try #require(Colour("#80ff00"))
  try leds.indicator("r", "g", "b") { $0.colour = colour }.drive(true)
  #expect(["r", "g", "b"].map(leds.brightness) == [50, 100, 0])
  try leds.indicator("on-off") { $0.brightness = 0.25 }.drive(true)
  #expect(leds.brightness("on-off") == 1)
}

@Test func `a missing or removed LED is an error with a remedy`() throws {
  let leds = try LEDs(["blue": 255])
  let missing = try #require(throws: HardwareError.self) { try leds.indicator("green") }
  #expect(missing.kind == .absent && missing.remedy?.contains("/sys/class/leds") == true)
  let indicator = try leds.indicator("blue")
  try FileManager.default.removeItem(atPath: leds.directory.path("blue"))
  #expect(throws: HardwareError.self) { try indicator.drive(true) }
}

@Test func `an LED without a maximum brightness is unsuitable`() throws {
  for text in ["0\n", "", "full\n"] {
    let leds = try LEDs(["blue": 255])
    try leds.directory.write(text, to: "blue/max_brightness")
    let error = try #require(throws: HardwareError.self) { try leds.indicator("blue") }
    #expect(error.kind == .unsuitable && error.object == leds.directory.path("blue/max_brightness"))
  }
}

@Test func `a file of an LED that cannot be written is an error that names the file`() throws {
  let leds = try LEDs(["blue": 255])
  let path = leds.directory.path("blue/brightness")
  try FileManager.default.removeItem(atPath: path)
  try leds.directory.makeFolder("blue/brightness")
  let error = try #require(throws: HardwareError.self) { try leds.indicator("blue") }
  #expect(error == HardwareError(.failed, "write", path, cause: "is a directory"))
}
