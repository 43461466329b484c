import OperatingSystem

/// Reads the installed systemd unit of the daemon with its drop-in files. (systemd.unit(5))
extension MachineReader {
  /// The folders of systemd units, the folder with the highest precedence first.
  private static let folders = [
    "/etc/systemd/system.control", "/run/systemd/system.control", "/etc/systemd/system", "/run/systemd/system",
    "/usr/local/lib/systemd/system", "/usr/lib/systemd/system",
  ]
  private static let unit = "onefix.service"

  /// Returns the devices that the daemon's systemd unit allows. The result is nil if the unit allows all devices, or if
  /// the unit runs as another user.
  func sandbox(of user: Accounts.User) -> Sandbox? {
    var runner = "root"
    var policy = "auto"
    var allowed: [[Substring]] = []
    for (key, value) in serviceSettings {
      switch key {
      case "User": runner = value
      case "DevicePolicy": policy = value
      // An empty value removes all earlier values.
      case "DeviceAllow": allowed = value.isEmpty ? [] : allowed + [value.split(whereSeparator: \.isWhitespace)]
      default: break
      }
    }
    guard [user.name, "\(user.uid)"].contains(runner), policy != "auto" || !allowed.isEmpty else { return nil }
    // Every policy except strict allows pseudo-terminals.
    var sandbox = Sandbox(drivers: policy == "strict" ? [] : ["pts"])
    for words in allowed {
      let rights = words.dropFirst().first ?? "rwm"
      guard let name = words.first, rights.contains("r"), rights.contains("w") else { continue }
      if name.hasPrefix("char-") {
        sandbox.drivers.append(String(name.dropFirst("char-".count)))
      } else if let node = tree.node(at: String(name)) {
        sandbox.devices.insert(node.device)
      }
    }
    return sandbox
  }

  /// The keys and values of the section `[Service]` in the unit and its drop-in files. A later value replaces an
  /// earlier one.
  private var serviceSettings: [(String, String)] {
    guard let main = Self.folders.lazy.compactMap({ tree.text(of: "\($0)/\(Self.unit)") }).first else { return [] }
    var dropIns: [String: String] = [:]
    for folder in Self.folders.map({ "\($0)/\(Self.unit).d" }) + Self.folders.map({ "\($0)/service.d" }) {
      // A file hides the files with the same name in folders of a lower precedence.
      for name in tree.names(in: folder) where name.hasSuffix(".conf") && dropIns[name] == nil {
        dropIns[name] = tree.text(of: "\(folder)/\(name)") ?? ""
      }
    }
    let files = [main] + dropIns.sorted { $0.key < $1.key }.map(\.value)
    return files.flatMap { Self.settings(in: $0) }
  }

  private static func settings(in text: String) -> [(String, String)] {
    var section: Substring = ""
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).reduce(into: [Substring]()) {
      lines, line in
      // A backslash at the end of a line continues the line.
      if let last = lines.last, last.last == "\\" {
        lines[lines.count - 1] = last.dropLast() + " " + line
      } else {
        lines.append(line)
      }
    }
    return lines.compactMap { line in
      let line = line.trimmingBlanks
      if line.first == "[" { section = line }
      guard section == "[Service]", line.first != "#", line.first != ";", let equals = line.firstIndex(of: "=") else {
        return nil
      }
      return (String(line[..<equals].trimmingBlanks), String(line[line.index(after: equals)...].trimmingBlanks))
    }
  }
}

extension Substring {
  fileprivate var trimmingBlanks: Substring {
    var rest = drop { $0.isWhitespace }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return rest
  }
}
