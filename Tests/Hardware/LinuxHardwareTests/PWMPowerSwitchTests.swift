import Foundation
import Hardware
import TemporaryFiles
import Testing

@testable import LinuxHardware

/// A folder with the structure of `/sys/class/pwm`. Unlike the kernel, the folder has no reaction to a write.
private struct PWMFolder {
  let directory: TemporaryDirectory

  init(channel: String? = "pwm0", period: String = "0\n") throws {
    directory = try TemporaryDirectory()
    try write("", to: "pwmchip3/export")
    try write("", to: "devices/fe20c000.pwm/uevent")
    try FileManager.default.createSymbolicLink(
      atPath: directory.path("pwmchip3/device"), withDestinationPath: "../devices/fe20c000.pwm")
    if let channel { try export(channel, period: period) }
  }

  func export(_ channel: String, period: String = "0\n") throws {
    for (file, text) in [("period", period), ("duty_cycle", "0\n"), ("enable", "0\n")] {
      try write(text, to: "pwmchip3/\(channel)/\(file)")
    }
  }

  func write(_ text: String, to name: String) throws { try directory.write(Array(text.utf8), to: name) }

  /// Returns the number at the beginning of a file of the channel.
  func number(_ file: String, of channel: String = "pwm0") throws -> Int? {
    Int(try text("\(channel)/\(file)").prefix { $0.isNumber })
  }

  func text(_ name: String) throws -> String {
    try String(contentsOfFile: directory.path("pwmchip3/\(name)"), encoding: .utf8)
  }

  func pwm(_ chip: String = "pwmchip3", channel: Int = 0, frequency: Int = 2_000) -> PWMPowerSwitch {
    PWMPowerSwitch(chip: chip, channel: channel, frequency: frequency, root: directory.path)
  }
}

@Suite struct PWMPowerSwitchTests {
  /// A name of the chip, and the period that another program configured before.
  @Test(arguments: [("pwmchip3", "0\n"), ("fe20c000.pwm", "20000\n")])
  func `a channel gets a square wave of the frequency, and is switched`(chip: String, period: String) throws {
    let folder = try PWMFolder(period: period)
    let pwm = folder.pwm(chip)
    try pwm.set(isOn: false)
    #expect(try ["period", "duty_cycle", "enable"].map { try folder.number($0) } == [500_000, 250_000, 0])
    try pwm.set(isOn: true)
    #expect(try folder.number("enable") == 1)
    try pwm.set(isOn: false)
    #expect(try folder.number("enable") == 0)
    // A channel that is exported already is not exported again.
    #expect(try folder.text("export") == "")
  }

  @Test func `the channel of a kernel for the BeagleBone has its chip in its name`() throws {
    let folder = try PWMFolder(channel: "pwm-3:1")
    try folder.pwm(channel: 1).set(isOn: true)
    #expect(try folder.number("enable", of: "pwm-3:1") == 1)
  }

  @Test func `a channel without files is exported, and works as soon as its files appear`() throws {
    let folder = try PWMFolder(channel: nil)
    let pwm = folder.pwm()
    let error = try #require(throws: HardwareError.self) { try pwm.set(isOn: false) }
    #expect(error.kind == .absent && error.remedy?.contains("/sys/class/pwm") == true)
    #expect(try folder.text("export") == "0")
    try folder.export("pwm0")
    try pwm.set(isOn: true)
    #expect(try folder.number("enable") == 1)
  }

  @Test func `a chip that does not exist is an error that names the chips`() throws {
    let folder = try PWMFolder()
    let error = try #require(throws: HardwareError.self) { try folder.pwm("pwmchip9").set(isOn: true) }
    #expect(error.kind == .absent && error.cause.contains("pwmchip3"))
  }
}
