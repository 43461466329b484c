import Languages

/// The folders in which boards are looked up, one after another.
package struct BoardSearch: Hashable, Sendable {
  /// Each holds a folder for every board.
  package let folders: [String]

  package init(folders: [String]) {
    self.folders = folders
  }

  /// The folders by the rule: the one that was asked for, `./Boards`, the folder `Boards` beside the executable or
  /// above it, and where the package installs them.
  /// - Parameter executable: the absolute path of this program.
  package init(explicit: String?, executable: String?) {
    var folders = [explicit, "./Boards"].compactMap(\.self)
    if let executable, executable.first == "/" {
      var rest = executable[...]
      while let slash = rest.lastIndex(of: "/") {
        rest = rest[..<slash]
        folders.append("\(rest)/Boards")
      }
    }
    folders.append("/usr/share/onefix/boards")
    self.init(folders: folders)
  }

  /// Reads the board of that name from the first folder that has it.
  /// - Throws: `ConfigurationError` where there is none (it names those that there are), or with all that is wrong.
  package func board(_ choice: BoardChoice) throws(ConfigurationError) -> Board {
    let name = choice.name
    guard BoardSearch.isName(name) else {
      throw ConfigurationError(
        file: choice.place.file, line: choice.place.line,
        "\(Wording.quoted(name)) is no name of a board: 1...64 lower-case letters, digits and '-'")
    }
    for folder in folders {
      let file = "\(folder)/\(name)/board.toml"
      if let bytes = try ConfigurationFile.read(file) {
        return try Board(parsing: bytes, file: file, name: name)
      }
    }
    let names = names
    let known = names.isEmpty ? "there is none" : "there are: \(names.joined(separator: ", "))"
    let nearest = Spelling.nearest(to: name, among: names).map { "; did you mean \(Wording.quoted($0))?" } ?? ""
    let searched = folders.filter(ConfigurationFile.exists)
    let places =
      searched.isEmpty ? "no folder of boards was found; --boards names one" : searched.joined(separator: ", ")
    throw ConfigurationError(
      file: choice.place.file, line: choice.place.line,
      "there is no board \(Wording.quoted(name)) (\(known)\(nearest); looked in: \(places))")
  }

  package func board(_ name: String) throws(ConfigurationError) -> Board { try board(BoardChoice(name: name)) }

  /// The boards that there are, in the order of their names.
  package var names: [String] {
    var found: Set<String> = []
    for folder in folders {
      for name in ConfigurationFile.names(in: folder)
      where BoardSearch.isName(name) && ConfigurationFile.exists("\(folder)/\(name)/board.toml") {
        found.insert(name)
      }
    }
    return found.sorted()
  }

  /// What cannot lead out of the folder.
  private static func isName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || $0 == UInt8(ascii: "-")
      }
  }
}
