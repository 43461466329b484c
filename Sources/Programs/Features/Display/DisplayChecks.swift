import Base
import Configuration
import LineProtocol

extension Fault {
  static let displayAddress = Fault(
    "display-address", "the display: the receiver has the same address {address} on {bus}",
    remedy: "select the other address of the display (0x3C or 0x3D), or use another bus", isConfiguration: true)
  static let displayShared = Fault(
    "display-shared", .warning,
    "the display is on the receiver's bus {bus}: the user of the display can read the location without a press",
    remedy: "use another bus for the display, for example with the overlay i2c-gpio", isConfiguration: true)
  static let displayAbsent = Fault(
    "display-bus", .warning, "the display: {bus} does not exist, so no text is shown",
    remedy: "is I2C enabled on this board? see i2cdetect -l")
  static let displayUnsuitable = Fault(
    "display-bus", .warning, "the display: {bus} is not an I2C bus, so no text is shown",
    remedy: "set bus to a device such as /dev/i2c-1")
}

extension DisplayFeature: CheckedFeature {
  var objects: [MachineObject] { [.file(module.bus)] }
  var buses: [String] { [module.bus] }

  func configurationFindings(about subject: Subject) -> [Finding] {
    guard case .i2c(module.bus, let address) = subject.receiver else { return [] }
    let values = ["bus": module.bus, "address": "0x\(address.digits(2, radix: 16))"]
    if address == module.address { return [Finding(.displayAddress, at: location, values)] }
    return [Finding(.displayShared, at: location, values)]
  }

  func findings(about subject: Subject, on machine: Machine) -> [Finding] {
    switch machine.files[module.bus] {
    case nil: [Finding(.displayAbsent, at: location, ["bus": module.bus])]
    case let file? where file.kind != .device: [Finding(.displayUnsuitable, at: location, ["bus": module.bus])]
    case .some: []
    }
  }
}

extension DisplayFeature: Feature {
  var display: DisplayModule? { module }
}
