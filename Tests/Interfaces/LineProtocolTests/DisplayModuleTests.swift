import LineProtocol
import Testing

private let modules = [
  DisplayModule(bus: "/dev/i2c-1"), DisplayModule(bus: "/dev/i2c-1", height: 32),
  DisplayModule(bus: "/dev/i2c-1", address: 0x3D, controller: .sh1106, isRotated: true),
]

@Test(arguments: modules)
func `the settings of a module survive the way through the reply of the gateway`(module: DisplayModule) {
  #expect(DisplayModule(fields: module.fields(in: .german)) == module)
}

@Test func `the address of a module has two hexadecimal digits`() {
  #expect(modules.map { $0.fields(in: .german)["address"] } == ["0x3c", "0x3c", "0x3d"])
}

@Test(arguments: [
  ("address", "0x42"), ("address", "0x3B"), ("address", "0x3E"), ("address", "003C"), ("controller", "st7735"),
  ("height", "48"), ("height", "31"), ("bus", ""),
])
func `a reply with an unknown setting gives no module`(key: String, value: String) {
  var fields = modules[0].fields(in: .english)
  fields[key] = value.isEmpty ? nil : value
  #expect(DisplayModule(fields: fields) == nil)
}
