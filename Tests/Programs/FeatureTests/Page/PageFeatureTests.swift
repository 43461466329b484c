import Configuration
import Testing

@testable import Features

private func page(_ text: String) throws(ConfigurationError) -> PageFeature? { try read(text) }

@Test(arguments: [0, 8021, 65_535])
func `a page has a port`(port: Int) throws {
  #expect(try page("[page]\nport = \(port)\n")?.port == port)
}

@Test(arguments: [
  ("[page]\n", "'port'"), ("[page]\nport = 65536\n", "65535"), ("[page]\nport = -1\n", "port"),
  ("[page]\nport = \"8021\"\n", "port"), ("[page]\nport = 8021\naddress = \"0.0.0.0\"\n", "address"),
])
func `a page has a port of this machine and no other keys`(text: String, fault: String) {
  #expect { try page(text) } throws: { "\($0)".contains(fault) && "\($0)".contains("onefix.toml:") }
}
