import Configuration
import Testing

@testable import Features

private func page(_ text: String) throws(ConfigurationError) -> PageFeature? { try read(text) }

@Test(arguments: [
  ("[page]\n", "'port'"), ("[page]\nport = 65536\n", "65535"), ("[page]\nport = -1\n", "port"),
  ("[page]\nport = \"8021\"\n", "port"), ("[page]\nport = 8021\naddress = \"0.0.0.0\"\n", "address"),
])
func `a page has a port of this machine and no other keys`(text: String, fault: String) throws {
  for port in [0, 8021, 65_535] { #expect(try page("[page]\nport = \(port)\n")?.port == port) }
  #expect { try page(text) } throws: { "\($0)".contains(fault) && "\($0)".contains("onefix.toml:") }
}
