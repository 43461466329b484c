import GNSS
import Languages
import LineProtocol

extension OwnerVerb {
  /// Parses a typed line. Spaces separate the words. Quotation marks have no special meaning.
  package init(parsing line: String) throws(VerbError) {
    try self.init(words: line.split(separator: " ").map(String.init))
  }

  /// Parses a command and its arguments. The command and the values of its arguments are not case-sensitive.
  package init(words: [String]) throws(VerbError) {
    guard let first = words.first else { throw VerbError(nil, .empty) }
    guard let name = VerbPhrase(rawValue: first.lowercased()) else {
      let nearest = Spelling.nearest(to: first.lowercased(), among: VerbPhrase.allCases.map(\.rawValue))
      throw VerbError(nil, .unknown(first, nearest: nearest.flatMap { VerbPhrase(rawValue: $0) }))
    }
    var arguments = VerbArguments(name, words.dropFirst())
    self = try OwnerVerb(name, &arguments)
    try arguments.finish()
  }

  private init(_ name: VerbPhrase, _ arguments: inout VerbArguments) throws(VerbError) {
    switch name {
    case .status: self = .status
    case .apps: self = .apps
    case .show: self = .show(app: try arguments.app())
    case .allow:
      let app = try arguments.app()
      self = .allow(app: app, try arguments.value(.allowance) { Allowance(rawValue: $0) } ?? .whileUsing)
    case .deny: self = .deny(app: try arguments.app())
    case .reset: self = .reset(app: try arguments.app())
    case .accuracy:
      let app = try arguments.app()
      guard let accuracy = try arguments.value(.accuracy, { FixAccuracy(rawValue: $0) }) else {
        throw VerbError(name, .missing(.accuracy))
      }
      self = .accuracy(app: app, accuracy)
    case .prompts: self = .prompts
    case .answer:
      let prompt = try arguments.number()
      guard let choice = try arguments.value(.choice, { PromptChoice(rawValue: $0) }) else {
        throw VerbError(name, .missing(.choice))
      }
      let word = arguments.next
      let accuracy = try arguments.value(.accuracy) { FixAccuracy(rawValue: $0) }
      if choice == .no, accuracy != nil, let word { throw VerbError(name, .accuracyOfNo(word)) }
      self = .answer(prompt: prompt, choice, accuracy: accuracy)
    case .regions: self = .regions(app: try arguments.optionalApp())
    case .place: self = .place(try PlaceCommand(&arguments))
    case .use: self = .use(app: try arguments.app())
    case .key: self = try OwnerVerb(parsingKey: &arguments)
    case .log:
      // A number is also a valid app name. For this reason, a number is a count only if it is the only argument.
      if arguments.count == 1, let count = try arguments.countOnly() {
        self = .log(app: nil, count: count)
      } else {
        let app = try arguments.optionalApp()
        self = .log(app: app, count: try arguments.logCount())
      }
    case .receiver: self = .receiver
    case .reload: self = .reload
    case .page: self = .page
    case .lock: self = .lock
    }
  }

  private init(parsingKey arguments: inout VerbArguments) throws(VerbError) {
    let isRevoked = try arguments.value(.keyAction) { word in
      VerbArgument.keyAction.words.contains(word) ? word == "revoke" : nil
    }
    guard let isRevoked else { throw VerbError(.key, .missing(.keyAction)) }
    let app = try arguments.app()
    if isRevoked {
      self = .revokeKey(app: app)
    } else {
      let isToken = try arguments.value(.keyKind) { $0 == "token" ? true : nil }
      self = .addKey(app: app, isToken: isToken ?? false)
    }
  }
}

extension PlaceCommand {
  fileprivate init(_ arguments: inout VerbArguments) throws(VerbError) {
    let action = try arguments.value(.placeAction) { VerbArgument.placeAction.words.contains($0) ? $0 : nil }
    switch action {
    case "add":
      let name = try arguments.placeName()
      let radius = try arguments.decimal()
      self = .add(name: name, radius: radius, centre: try arguments.coordinate())
    case "remove": self = .remove(name: try arguments.placeName())
    case "allow":
      let app = try arguments.app()
      self = .allow(app: app, names: [try arguments.placeName()] + (try arguments.placeNames()))
    case "deny": self = .deny(app: try arguments.app(), names: try arguments.placeNames())
    default: self = .list
    }
  }
}

private struct VerbArguments {
  private let verb: VerbPhrase
  private var words: ArraySlice<String>

  init(_ verb: VerbPhrase, _ words: ArraySlice<String>) {
    self.verb = verb
    self.words = words
  }

  var count: Int { words.count }
  var next: String? { words.first }

  mutating func app() throws(VerbError) -> String {
    guard let app = try optionalApp() else { throw VerbError(verb, .missing(.app)) }
    return app
  }

  /// Parses an app name. Rejects an invalid name, because the gateway could read an invalid name as several words.
  mutating func optionalApp() throws(VerbError) -> String? {
    guard let word = words.popFirst() else { return nil }
    let isName =
      (1...64).contains(word.utf8.count)
      && word.unicodeScalars.allSatisfy {
        ("a"..."z").contains($0) || ("0"..."9").contains($0) || ("A"..."Z").contains($0)
          || "._-".unicodeScalars.contains($0)
      }
    guard isName else { throw VerbError(verb, .misread(word, .app, nearest: nil)) }
    return word
  }

  /// Parses the name of a place. Rejects an invalid name, because the gateway could read it as several words.
  mutating func placeName() throws(VerbError) -> String {
    guard let word = words.popFirst() else { throw VerbError(verb, .missing(.placeName)) }
    guard NamedPlace.isName(word) else { throw VerbError(verb, .misread(word, .placeName, nearest: nil)) }
    return word
  }

  mutating func placeNames() throws(VerbError) -> [String] {
    var names: [String] = []
    while !words.isEmpty { names.append(try placeName()) }
    return names
  }

  /// Parses a latitude and a longitude, if there is another word.
  mutating func coordinate() throws(VerbError) -> Coordinate? {
    guard let first = words.first else { return nil }
    let latitude = try decimal()
    guard Coordinate(latitude: latitude, longitude: 0) != nil else {
      throw VerbError(verb, .misread(first, .decimal, nearest: nil))
    }
    let second = words.first ?? ""
    guard let coordinate = Coordinate(latitude: latitude, longitude: try decimal()) else {
      throw VerbError(verb, .misread(second, .decimal, nearest: nil))
    }
    return coordinate
  }

  mutating func decimal() throws(VerbError) -> Double {
    guard let word = words.popFirst() else { throw VerbError(verb, .missing(.decimal)) }
    let isPlain = word.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E }
    guard isPlain, let number = Double(word) else { throw VerbError(verb, .misread(word, .decimal, nearest: nil)) }
    return number
  }

  mutating func value<Value>(
    _ argument: VerbArgument, _ read: (String) -> Value?
  ) throws(VerbError) -> Value? {
    guard let word = words.popFirst() else { return nil }
    if let value = read(word.lowercased()) { return value }
    let nearest = Spelling.nearest(to: word.lowercased(), among: argument.words)
    throw VerbError(verb, .misread(word, argument, nearest: nearest))
  }

  /// Parses a prompt number if the next word begins with a digit.
  mutating func number() throws(VerbError) -> Int? {
    guard let word = words.first, let first = word.utf8.first, (0x30...0x39).contains(first) else { return nil }
    words.removeFirst()
    guard let number = Int(word), number > 0 else { throw VerbError(verb, .misread(word, .prompt, nearest: nil)) }
    return number
  }

  /// Parses a count if the next word consists of digits.
  mutating func countOnly() throws(VerbError) -> Int? {
    guard let word = words.first, word.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return try logCount()
  }

  mutating func logCount() throws(VerbError) -> Int? {
    guard let word = words.popFirst() else { return nil }
    guard let count = Int(word), (1...OwnerCommand.mostEntries).contains(count) else {
      throw VerbError(verb, .misread(word, .count, nearest: nil))
    }
    return count
  }

  func finish() throws(VerbError) {
    if let word = words.first { throw VerbError(verb, .surplus(word)) }
  }
}
