import Foundation
import Requirements
import Testing

/// The picture of the README, which `Scripts/record` draws, and `Scripts/run`, which the picture shows.
@Suite struct PictureTests {
  private static let path = "\(Page.root)/Sources/Documentation/running.svg"
  private static let rsvg = "/usr/bin/rsvg-convert"
  private static let firefox = "/usr/bin/firefox-esr"

  /// Draws an image and returns each cell of the terminal that has a letter and should not, or the reverse. A letter may
  /// be 1.5 pixels beside its cell.
  private static let misplaced = """
    const [picture, image] = [PICTURE, new Image()];
    image.src = IMAGE;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
    canvas.fillStyle = 'white';
    canvas.fillRect(0, 0, image.width, image.height);
    canvas.drawImage(image, 0, 0);
    function hasLetter(left, right, baseline) {
      const [top, width] = [baseline - 12, Math.floor(right) - Math.ceil(left)];
      const pixels = canvas.getImageData(Math.ceil(left), top, width, 16);
      // A column of the background has one colour.
      for (let x = 0; x < width; x++) {
        const shades = Array.from({ length: 16 }, (_, y) => pixels.data[4 * (y * width + x) + 1]);
        if (Math.max(...shades) - Math.min(...shades) > 60) return true;
      }
      return false;
    }
    const [cell, rows] = [8.4, {}];
    for (const text of new DOMParser().parseFromString(picture, 'image/svg+xml').querySelectorAll('text')) {
      const [x, y] = ['x', 'y'].map((name) => Number(text.getAttribute(name)));
      rows[y] ??= { left: x % cell, cells: {} };
      [...text.textContent].forEach((letter, index) => {
        if (letter !== ' ') rows[y].cells[Math.round((x - rows[y].left) / cell) + index] = letter;
      });
    }
    const found = [];
    for (const [y, row] of Object.entries(rows)) {
      for (let index = 2; index < 92; index++) {
        const [left, letter] = [row.left + index * cell, row.cells[index]];
        const margin = letter ? 0 : 1.5;
        if (hasLetter(left + margin, left + cell - margin, y) !== !!letter) {
          found.push(`row ${y}, column ${index}: ${letter ?? 'a space'}`);
        }
      }
    }
    return Object.keys(rows).length > 20 ? found : ['too few rows'];
    """

  /// - Parameter image: The file that the browser shows.
  private func misplaced(in image: String) async throws -> [String] {
    let picture = try String(contentsOfFile: Self.path, encoding: .utf8)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: image)).base64EncodedString()
    let kind = image.hasSuffix(".svg") ? "svg+xml" : "png"
    let script = Self.misplaced.replacing("PICTURE", with: Browser.quoted(picture))
      .replacing("IMAGE", with: "'data:image/\(kind);base64,\(bytes)'")
    let browser = try await Browser()
    let found = try await browser.run("return (async () => {\(script)})()") as? [String]
    try await browser.close()
    return try #require(found)
  }

  @Test func `every letter is in its own cell in Chromium`() async throws {
    #expect(try await misplaced(in: Self.path) == [])
  }

  @Test(.needs("apt-get install librsvg2-bin", FileManager.default.isExecutableFile(atPath: rsvg)))
  func `every letter is in its own cell in rsvg`() async throws {
    let folder = try Folder()
    let end = try await Child(Self.rsvg, ["--output", folder.path("rsvg.png"), Self.path]).finish()
    try #require(end.end == .exit(0), "\(end.errors)")
    #expect(try await misplaced(in: folder.path("rsvg.png")) == [])
  }

  // Firefox is large, so the tests do not install it.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: firefox), "Firefox is not installed"))
  func `every letter is in its own cell in Firefox`() async throws {
    let folder = try Folder()
    let words = [
      "--headless", "--no-remote", "--profile", folder.path, "--window-size=900,900", "--screenshot",
      folder.path("firefox.png"), "file://\(Self.path)",
    ]
    let end = try await Child(Self.firefox, words, environment: ["HOME": folder.path]).finish()
    try #require(end.end == .exit(0), "\(end.errors)")
    #expect(try await misplaced(in: folder.path("firefox.png")) == [])
  }

  @Test func `the programs say every word of the picture`() async throws {
    let readme = try #require(Page.all.first { $0.path == "README.md" })
    let reader = try await PageReader(readme)
    let said = try await reader.atTerminal(
      "stty columns 92 rows 25; Scripts/run", until: "the nearest parks", "arrived")
    let picture = try String(contentsOfFile: Self.path, encoding: .utf8)
    let words = picture.matches(of: /fill="(#[0-9a-f]+)">([^<]+)<\/text>/)
      // The captions are not on the screen, and figures and temporary paths are different each time.
      .filter { $0.1 != "#57606a" && !$0.2.contains(/[0-9]|\/tmp/) }
    #expect(words.count > 50)
    let unsaid = words.map { String($0.2) }.filter { !said.contains($0) }
    #expect(unsaid == [])
    // The panel clears the terminal before the line with the path of the socket, so that the line stays visible.
    let clearing = try #require(said.ranges(of: "\u{1B}[2J").last)
    #expect(try #require(said.firstRange(of: "READY socket=")).lowerBound > clearing.upperBound)
    #expect(try await reader.daemon.stop().end == .exit(0))
  }

  @Test func `after the key p of Scripts/run, each press adds a point to a file, and the panel names the file`()
    async throws
  {
    let readme = try #require(Page.all.first { $0.path == "README.md" })
    let reader = try await PageReader(readme)
    let said = try await reader.atTerminal("Scripts/run", keys: "p ", until: "gave points one fix → points.gpx")
    let file = reader.folder.path("points.gpx")
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("<wpt "))
    #expect(said.contains("run: each press adds one point to \(file)"), "\(said)")
    #expect(said.contains(/run: points in \S+points\.gpx: [0-9]+/), "\(said)")
    #expect(try await reader.daemon.stop().end == .exit(0))
  }

  @Test(arguments: [
    ("", "--points needs the path of a file"), ("/", "/ is a folder (choose the path of a file)"),
    ("/nowhere/points.gpx", "cannot write to the folder /nowhere (make it, or choose another one)"),
    ("/dev/null/points.gpx", "cannot write to the folder /dev/null (make it, or choose another one)"),
    ("/tmp/points.gpx", "--once gives an app a fix, and --points has no app (choose one of them)"),
    (nil, "the path in TMPDIR is too long for a socket: it has more than 76 bytes (set TMPDIR=/tmp)"),
  ])
  func `Scripts/run names the fault of --points and of TMPDIR before the build`(path: String?, fault: String)
    async throws
  {
    let words = ["\(Page.root)/Scripts/run", "--once"] + (path.map { ["--points", $0] } ?? [])
    let environment = path == nil ? ["TMPDIR": String(repeating: "/long", count: 17)] : [:]
    let finished = try await Child("bash", words, environment: environment).finish()
    #expect(finished.end == .exit(64) && finished.errors == ["run: \(fault)"], "\(finished)")
  }

  @Test func `a second gateway of Scripts/run has a state of its own, and says so at the start and at the end`()
    async throws
  {
    let readme = try #require(Page.all.first { $0.path == "README.md" })
    let reader = try await PageReader(readme)
    let lock = "mkdir -p $XDG_STATE_HOME; exec 8>$XDG_STATE_HOME/onefix-try-out.lock; flock 8"
    let said = try await reader.atTerminal("\(lock); Scripts/run", until: "park-finder: press the button")
    #expect(said.ranges(of: "has a state of its own").count == 2, "\(said)")
    #expect(!FileManager.default.fileExists(atPath: reader.folder.path("home-state/onefix-try-out")))
    #expect(try await reader.daemon.stop().end == .exit(0))
  }
}
