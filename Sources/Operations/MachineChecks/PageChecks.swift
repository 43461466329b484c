import Configuration

extension Subject {
  func pageFindings(on machine: Machine) -> [Finding] {
    guard let page else { return [] }
    return machine.pageAddress.findings(
      "127.0.0.1:\(page.port)", title: "the page's address ", held: .pageHeld, taken: .pageTaken, at: page.location,
      remedy: "stop it, or choose another 'port' in [page]")
  }
}
