console.log("benchmarks follow");
