import Glibc
import Hardware
import Testing

@testable import LinuxHardware

private func chip(_ number: Int, _ label: String, _ names: [String], held: [Int: String] = [:]) -> GPIOChip {
  GPIOChip(
    path: "/dev/gpiochip\(number)", name: "gpiochip\(number)", label: label,
    lines: names.enumerated().map { GPIOChip.Line(name: $1, consumer: held[$0]) })
}

private let chips = GPIOChips(chips: [
  chip(0, "pinctrl-rp1", ["ID_SDA", "GPIO2", "GPIO17", ""], held: [2: "other-program"]),
  chip(4, "gpio-brcmstb", ["GPIO2", "PMIC"]),
  chip(7, "twin", ["A"]), chip(8, "twin", ["B"]),
])

@Test(arguments: [
  (LineSpec(.name("GPIO17")), "gpiochip0:2 (GPIO17)"),
  (LineSpec(chip: "gpio-brcmstb", .offset(1)), "gpiochip4:1 (gpio-brcmstb:1)"),
  // A label selects between lines of the same name, and a name between chips of the same label.
  (LineSpec(chip: "pinctrl-rp1", .name("GPIO2")), "gpiochip0:1 (pinctrl-rp1:GPIO2)"),
  (LineSpec(chip: "twin", .name("B")), "gpiochip8:0 (twin:B)"),
])
func `a line is found by its name or its offset and by its chip's label, independent of its chip's number`(
  spec: LineSpec, place: String
) throws {
  let line = try chips.locate(spec)
  #expect("\(line)" == place && place.hasPrefix("\(line.path.dropFirst(5)):\(line.offset) "))
  #expect(line.consumer == (place == "gpiochip0:2 (GPIO17)" ? "other-program" : nil))
}

@Test func `a chip with several names in /dev is one chip, with the kernel's name`() throws {
  let chip = chip(0, "pinctrl-rp1", ["GPIO17"])
  var link = chip
  link.path = "/dev/gpiochip4"
  var copy = chip
  copy.path = "/dev/gpiochip-header"
  let other = GPIOChip(path: "/dev/gpiochip10", name: "gpiochip10", label: "gpio-brcmstb", lines: [])
  for found in [[chip, other, link, copy], [copy, link, other, chip], [link, chip, copy, other]] {
    let chips = GPIOChips(chips: GPIOChips.distinct(found))
    #expect(Set(chips.chips) == [chip, other])
    for spec in [LineSpec(.name("GPIO17")), LineSpec(chip: "pinctrl-rp1", .offset(0))] {
      let line = try chips.locate(spec)
      #expect(line.path == "/dev/gpiochip0" && "\(line)" == "gpiochip0:0 (\(spec))")
    }
  }
  // Without the kernel's own node, a link or a copy is the only path.
  #expect(GPIOChips.distinct([link, copy]) == [link])
}

@Test(arguments: [
  (LineSpec(.name("GPIO2")), HardwareError.Kind.unsuitable, "ambiguous", "'chip'"),
  (LineSpec(chip: "twin", .offset(0)), .unsuitable, "ambiguous", "only one chip has"),
  (LineSpec(chip: "pinctrl-bcm2711", .offset(0)), .absent, "'pinctrl-bcm2711'", "gpio-brcmstb, pinctrl-rp1, twin"),
  (LineSpec(chip: "twin", .offset(1)), .absent, "no chip has this line", "gpioinfo"),
  (LineSpec(.name("GPIO99")), .absent, "no chip has this line", "gpioinfo"),
])
func `a missing or ambiguous line is refused with a remedy`(
  spec: LineSpec, kind: HardwareError.Kind, cause: String, remedy: String
) throws {
  let error = try #require(throws: HardwareError.self) { try chips.locate(spec) }
  #expect(error.kind == kind)
  #expect(error.cause.contains(cause) && (error.remedy ?? "").contains(remedy), "\(error)")
}

@Test(
  arguments: [
    (EBUSY, nil, .busy, "see gpioinfo"), (EBUSY, "other-program", .busy, "'other-program' uses it"),
    (EPERM, nil, .notPermitted, "onefixd check"), (EACCES, nil, .notPermitted, "group gpio"),
    (ENODEV, nil, .absent, "gpiodetect"), (ENXIO, nil, .absent, "gpiodetect"), (ENOENT, nil, .absent, "gpiodetect"),
    (ENOTTY, nil, .absent, "gpiodetect"), (EINVAL, nil, .unsuitable, "edge detection"), (EIO, nil, .failed, nil),
  ] as [(Int32, String?, HardwareError.Kind, String?)])
func `a refused line is an error with the remedy for its cause`(
  number: Int32, holder: String?, kind: HardwareError.Kind, remedy: String?
) {
  let error = GPIOLine.refusal("request", "GPIO line 4", number, holder: holder)
  #expect((error.kind, error.operation, error.object) == (kind, "request", "GPIO line 4"))
  if let remedy { #expect(error.remedy?.contains(remedy) == true) } else { #expect(error.remedy == nil) }
}
