import Base
import Configuration
import LineProtocol

extension Fault {
  static let displayAddress = Fault(
    "display-address", "the display: the receiver has the same address {address} on {bus}",
    remedy: "select the other address of the display (0x3C or 0x3D), or use another bus", isConfiguration: true,
    isLogged: true)
  static let displayShared = Fault(
    "display-shared", .warning,
    "the display is on the receiver's bus {bus}: the user of the display can read the location without a press",
    remedy: "use another bus for the display, for example with the overlay i2c-gpio", isConfiguration: true,
    isLogged: true)
  static let displayAbsent = Fault(
    "display-bus", .warning, "the display: {bus} does not exist, so no text is shown",
    remedy: "is I2C enabled (the board's README) and the module i2c-dev loaded? see i2cdetect -l")
  static let displayUnsuitable = Fault(
    "display-bus", .warning, "the display: {bus} is not an I2C bus, so no text is shown",
    remedy: "set bus to a device such as /dev/i2c-1")
}

extension DisplayFeature: CheckedFeature {
  var objects: [MachineObject] { [.file(module.bus)] }
  var buses: [String] { [module.bus] }

  func configurationFindings(about subject: Subject) -> [Finding] {
    guard case .i2c(module.bus, let address) = subject.receiver else { return [] }
    return [conflict(withAddress: address)]
  }

  /// Returns the problem that the display is on the bus of the receiver.
  private func conflict(withAddress address: UInt16) -> Finding {
    let values = ["bus": module.bus, "address": "0x\(address.digits(2, radix: 16))"]
    return Finding(address == module.address ? .displayAddress : .displayShared, at: location, values)
  }

  /// Returns the problem that the display is on the bus of the receiver under another name of the bus, for example a
  /// link that a udev rule makes. The configuration alone shows a conflict only if both names are equal.
  private func conflictOfNames(with receiver: ReceiverSpec, on machine: Machine) -> [Finding] {
    guard case .i2c(let bus, let address) = receiver, bus != module.bus,
      machine.device(bus) == machine.device(module.bus)
    else { return [] }
    return [conflict(withAddress: address)]
  }

  func findings(about subject: Subject, on machine: Machine) -> [Finding] {
    let conflicts = conflictOfNames(with: subject.receiver, on: machine)
    guard let file = machine.files[module.bus] else {
      let repairs = Repair.enabling(bus: module.bus, on: subject.board)
      return conflicts + [Finding(.displayAbsent, at: location, ["bus": module.bus], repairs: repairs)]
    }
    return conflicts + (file.kind == .device ? [] : [Finding(.displayUnsuitable, at: location, ["bus": module.bus])])
  }
}

extension DisplayFeature: Feature {
  var display: DisplayModule? { module }
}
