# A device command of the tests: hands its name and words to the stand-in device, and does what it answers.
# Run as `perl client.pl SOCKET NAME WORDS...`. In Perl, which starts in a few milliseconds: a test runs it often.
use strict;
use Socket;
my $path = shift @ARGV;
socket(my $wire, PF_UNIX, SOCK_STREAM, 0) or die "socket: $!";
connect($wire, pack_sockaddr_un($path)) or die "no device at $path: $!";
my $asked = join("\0", @ARGV);
if (grep { $_ eq "-S" } @ARGV) {    # an application comes by standard input
    read(STDIN, my $data, $ARGV[-1]);
    $asked .= "\0$data";
}
syswrite($wire, pack("N", length $asked) . $asked);
sub exactly {
    my ($size) = @_;
    my $data = "";
    while (length($data) < $size) {
        sysread($wire, $data, $size - length($data), length($data)) or exit 255;
    }
    return $data;
}
while (1) {
    my ($kind, $size) = unpack("aN", exactly(5));
    my $data = exactly($size);
    if ($kind eq "o") { syswrite(STDOUT, $data) }
    elsif ($kind eq "e") { syswrite(STDERR, $data) }
    elsif ($kind eq "f") {
        my ($to, $content) = split(/\0/, $data, 2);
        open(my $file, ">", $to) or die "$to: $!";
        print $file $content;
        close($file);
    }
    else { exit $data }
}
