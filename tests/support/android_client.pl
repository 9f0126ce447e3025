# A command of the simulated device: sends its name and arguments to the tests, and executes the answer.
# Run as `perl client.pl SOCKET NAME ARGUMENTS...`. It is Perl, which starts in a few milliseconds, because tests run it often.
use strict;
use Socket;
my $path = shift @ARGV;
socket(my $connection, PF_UNIX, SOCK_STREAM, 0) or die "socket: $!";
connect($connection, pack_sockaddr_un($path)) or die "no device at $path: $!";
my $request = join("\0", @ARGV);
if (grep { $_ eq "-S" } @ARGV) {    # the application to install is on standard input
    read(STDIN, my $data, $ARGV[-1]);
    $request .= "\0$data";
}
syswrite($connection, pack("N", length $request) . $request);
sub exactly {
    my ($size) = @_;
    my $data = "";
    while (length($data) < $size) {
        sysread($connection, $data, $size - length($data), length($data)) or exit 255;
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
