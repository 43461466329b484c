import Configuration
import LineProtocol

/// The settings of the section `[display]`: a small display beside the button. The display shows questions to the user,
/// and is driven by a separate process, `onefix display`.
struct DisplayFeature: ConfiguredFeature {
  static let table = "display"
  static let isOfBoards = true

  let module: DisplayModule
  let location: ConfigurationLocation

  init?(reading root: TOMLTable, _ configuration: GatewayConfiguration) {
    guard let table = root.table(Self.table) else { return nil }
    defer { table.finish() }
    let bus = table.required("bus", table.path)
    let address = table.parsed("address", rule: "\"0x3C\" or \"0x3D\"", Self.address)
    let controller = table.choice("controller", of: DisplayModule.Controller.self)
    let height = table.parsed("size", rule: "\"128x64\" or \"128x32\"", Self.height)
    let isRotated = table.boolean("rotated")
    guard let bus else { return nil }
    if controller?.value == .sh1106, let height, height.value == 32 {
      table.reject("size", "is 128x32, but a module with the controller sh1106 has 128x64 pixels")
    }
    module = DisplayModule(
      bus: bus.value, address: address?.value ?? 0x3C, controller: controller?.value ?? .ssd1306,
      height: height?.value ?? 64, isRotated: isRotated?.value ?? false)
    location = table.location(of: bus)
  }

  private static func address(_ text: String) -> UInt16? {
    guard text.hasPrefix("0x"), let address = UInt16(text.dropFirst(2), radix: 16) else { return nil }
    return DisplayModule.addresses.contains(address) ? address : nil
  }

  private static func height(_ text: String) -> Int? {
    DisplayModule.heights.first { text == "128x\($0)" }
  }
}
